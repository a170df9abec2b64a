// Sends 50 messages, and one that needs chunks over UDP. Arguments: udp or tcp, the port.
import gelf from 'gelf-pro'
import { randomBytes } from 'node:crypto'

const [adapter, port] = process.argv.slice(2)
gelf.setConfig({
  fields: { facility: 'shop', owner: 'Tom' }, adapterName: adapter, adapterOptions: { host: '127.0.0.1', port: Number(port) }
})
const send = (text, extra) => new Promise((resolve, reject) =>
  gelf.warning(text, extra, (error) => error ? reject(error) : resolve()))
for (let n = 0; n < 50; n++) {
  await send(`message ${n}`, { n, ratio: 0.25, user: { id: 7, name: 'a b' } })
}
const large = randomBytes(20_000).toString('base64')
await send(large, { n: 50 })
console.log(large)
