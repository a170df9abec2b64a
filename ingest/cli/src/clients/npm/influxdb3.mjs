// Writes points in each way that the client has. Arguments: the URL, the token.
import { InfluxDBClient, Point } from '@influxdata/influxdb3-client'

const [host, token] = process.argv.slice(2)
const points = (name, count) => Array.from({ length: count }, (_, n) =>
  Point.measurement(name).setTag('host', 'a b,c=d').setIntegerField('n', n).setFloatField('ratio', 0.25)
    .setBooleanField('up', true).setStringField('note', 'say "hi" \\ there').setTimestamp(BigInt(1767323045000000000) + BigInt(n)))
for (const [name, writeOptions] of Object.entries({
  plain: {}, packed: { gzipThreshold: 0 }, unsynced: { noSync: true }, tagged: { defaultTags: { env: 'test' } }
})) {
  const client = new InfluxDBClient({ host, token, database: 'db', writeOptions })
  await client.write(points(name, 100))
  await client.close()
}
const client = new InfluxDBClient({ host, token, database: 'db' })
await client.write('lines n=1i 1767323045\nlines n=2i 1767323046', undefined, undefined, { precision: 's' })
let why = 'nothing'
try {
  await client.write('half n=1i 1767323045000000000\nhalf n= 5', undefined, undefined, { noSync: true })
} catch (error) {
  why = String(error)
}
console.log(why)
await client.close()
