// Sends records by kafkajs: node produce.js HOST:PORT TOPIC COUNT
const { Kafka, logLevel } = require('kafkajs');

const [broker, topic, count] = process.argv.slice(2);
const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.ERROR });

async function main() {
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  for (let from = 0; from < Number(count); from += 100) {
    const messages = [];
    for (let i = from; i < Math.min(from + 100, Number(count)); i++) {
      messages.push({
        key: `key ${i}`,
        value: JSON.stringify({ body: `message ${i}` }),
        headers: { agent: 'kafkajs' },
      });
    }
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
}

main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
