/** Faults that dashboards show, but for which no alert is promised. */
import { Kafka, logLevel } from 'kafkajs'
import { quietRequestQueue } from '#packages/adapters/kafka/quiet-request-queue.ts'
import { Topics } from '#packages/adapters/kafka/topics.ts'
import { PASSWORD, TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { at } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { pingInVain } from '#test/doubles/webhooks/ping-in-vain.ts'
import type { Scene } from './scene.ts'

/** A caller without a key tries more keys than may be wrong in a minute. */
const GUESSES = 110

async function keysAreGuessed({ customers }: Scene): Promise<void> {
  const stranger = customers.first.withKey('wrong')
  for (let n = 0; n < GUESSES; n++) await stranger.get('/v1/me')
}

/** A worker dies in the middle of a step, and its lease runs out. */
async function workerDies({ outside, customers, deployment }: Scene): Promise<void> {
  const path = '/speech.mp3?held=1'
  const hold = outside.hold(path)
  await customers.first.enqueue({ url: at(path), mode: 'generate' })
  await until('a worker waits', () => hold.waits)
  await deployment.kill('fetch')
}

/** A message that is no task. */
async function messageIsGarbage({ cluster }: Scene): Promise<void> {
  const brokers = (cluster.variables.KAFKA_BROKERS ?? '').split(',')
  quietRequestQueue()
  const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer()
  await producer.connect()
  await producer.send({ topic: new Topics('video').of('caption', 'standard'), messages: [{ value: 'garbage' }] })
  await producer.disconnect()
}

/** A person signs up, and is sent a mail. */
async function mailIsSent({ deployment }: Scene): Promise<void> {
  const person = { email: 'ada@example.com', password: PASSWORD, organization: 'Acme' }
  await new TestVisitor(deployment.base, '/dashboard').post('/sign-up', person)
}

export async function mishaps(scene: Scene): Promise<string> {
  await keysAreGuessed(scene)
  await messageIsGarbage(scene)
  await mailIsSent(scene)
  await pingInVain(scene.customers.first)
  await workerDies(scene)
  return ''
}
