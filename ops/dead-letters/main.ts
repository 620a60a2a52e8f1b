/**
 * `npm run dead-letters -- list | replay ID`: shows the messages that the Kafka queue has set aside, or returns one.
 */
import { openKafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { kafkaOptionsOf } from '#services/host/engines.ts'
import { deadLetterLine, parseDeadLetterCommand, UsageError } from './command.ts'

async function main(): Promise<void> {
  const command = parseDeadLetterCommand(process.argv.slice(2))
  const config = readConfig(process.env)
  const options = kafkaOptionsOf(config)
  if (options === undefined)
    throw new Error('KAFKA_BROKERS is not set: the dead letters of `npm start` end with its process')
  const log = createLog('dead-letters', 'error')
  await using queue = await openKafkaWorkQueue({ ...options, log, openMs: 10_000 })
  if (command.type === 'list') for (const letter of await queue.listDeadLetters()) console.log(deadLetterLine(letter))
  else {
    await queue.replayDeadLetter(command.id)
    console.log(`dead letter ${command.id} is in its topic again`)
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof UsageError) console.error('Usage: npm run dead-letters -- list | replay ID')
  process.exitCode = 1
}
