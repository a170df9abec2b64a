// Sends metrics of each kind, an event and a check. Arguments: udp or tcp, the port.
import StatsD from 'hot-shots'

const [protocol, port] = process.argv.slice(2)
const failed = (error) => { console.error(error); process.exit(1) }
const client = new StatsD({
  host: '127.0.0.1', port: Number(port), protocol, prefix: 'shop.', globalTags: { env: 'test' }, errorHandler: failed,
  includeDatadogTelemetry: false
})
for (let n = 0; n < 100; n++) {
  client.gauge('sent', n, [`n:${n}`])
}
client.increment('orders')
client.decrement('orders', 2, 0.999999, ['canary'])
client.timing('checkout', 12.5)
client.histogram('size', 512)
client.distribution('rtt', 0.5, { region: 'eu' })
client.set('users', 'u7')
client.gaugeDelta('load', -4)
client.event('deploy', 'version 1.2\nis out', { alert_type: 'info', priority: 'low', source_type_name: 'ci', date_happened: new Date(1767323045000) })
client.check('db', client.CHECKS.WARNING, { hostname: 'h1', message: 'slow' })
client.close((error) => error ? failed(error) : console.log('sent'))
