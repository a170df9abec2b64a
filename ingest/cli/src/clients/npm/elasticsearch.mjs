// Sends 1,000 documents with the bulk helper, and one of each kind of field. Arguments: the URL.
import { Client } from '@elastic/elasticsearch'

const client = new Client({ node: process.argv[2], maxRetries: 20 })
const info = await client.info()
const documents = Array.from({ length: 1000 }, (_, n) => ({
  '@timestamp': new Date(1767323045000 + n).toISOString(), n, message: `event ${n}`
}))
const stats = await client.helpers.bulk({
  datasource: documents,
  flushBytes: 20_000,
  concurrency: 3,
  retries: 20,
  wait: 50,
  onDocument: (document) => document.n % 2 === 0
    ? { create: { _index: 'js-2026.01.02' } }
    : { index: { _index: 'js-2026.01.02', _id: `id-${document.n}` } },
  onDrop: (dropped) => console.error('dropped', JSON.stringify(dropped))
})
const one = await client.bulk({
  index: 'kinds',
  operations: [
    { create: {} },
    { '@timestamp': '2026-01-02T03:04:05.123456789Z', message: 'one \u00fc "q"', ratio: 0.25, ok: true, user: { id: 7, tags: ['a', 'b'] }, none: null },
    { delete: { _id: 'x' } }
  ]
})
console.log(JSON.stringify({
  version: info.version.number, total: stats.total, successful: stats.successful, failed: stats.failed, retry: stats.retry,
  errors: one.errors, statuses: one.items.map((item) => Object.values(item)[0].status)
}))
