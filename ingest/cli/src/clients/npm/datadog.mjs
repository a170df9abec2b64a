// Sends 100 logs in batches of 25, each with another compression. Arguments: the URL, the key.
import { client, v2 } from '@datadog/datadog-api-client'

const [url, key] = process.argv.slice(2)
const configuration = client.createConfiguration({
  authMethods: { apiKeyAuth: key }, serverIndex: 1, enableRetry: true, maxRetries: 10, backoffBase: 2, backoffMultiplier: 1
})
configuration.setServerVariables({ name: new URL(url).host, protocol: 'http' })
const api = new v2.LogsApi(configuration)
for (const [batch, contentEncoding] of [undefined, 'gzip', 'deflate', 'identity'].entries()) {
  const body = Array.from({ length: 25 }, (_, i) => ({
    ddsource: 'nginx', ddtags: 'env:test,team:a,canary', hostname: 'i-1', service: 'payment', message: `event ${batch * 25 + i}`,
    additionalProperties: { n: String(batch * 25 + i), timestamp: String(1767323045000 + batch * 25 + i) }
  }))
  console.log(JSON.stringify(await api.submitLog({ body, contentEncoding, ddtags: 'site:one' })))
}
