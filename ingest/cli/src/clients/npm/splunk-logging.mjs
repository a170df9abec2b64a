// Sends 60 events in batches of 20. Arguments: the URL, the token.
import splunk from 'splunk-logging'

const [url, token] = process.argv.slice(2)
const logger = new splunk.Logger({ url, token, batchInterval: 0, maxBatchCount: 20, maxBatchSize: 0, maxRetries: 20 })
let answers = 0
const ended = new Promise((resolve) => {
  logger.error = (error) => { console.error(error); process.exit(1) }
  for (let n = 0; n < 60; n++) {
    logger.send({
      message: { message: `event ${n}`, n, user: { id: 7 } }, severity: 'warn',
      metadata: { time: 1767323045000 + n, host: 'h1', source: 'app.log', sourcetype: 'httpevent', index: 'main' }
    }, (error, response, body) => {
      if (error) { console.error(error); process.exit(1) }
      console.log(JSON.stringify(body))
      if (++answers === 3) { resolve() }
    })
  }
})
await ended
