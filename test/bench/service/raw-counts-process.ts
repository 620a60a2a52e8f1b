/** A process with nothing but the client of the database. It counts requests as a limit over all nodes does. */
import { MongoClient } from 'mongodb'
import { allOf } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'

const KEYS = 100

type Counter = { _id: string; count: number }

let client: MongoClient

function open({ url }: { url: string }): void {
  client = new MongoClient(url, { writeConcern: { w: 'majority' } })
}

/** @returns requests counted per second */
async function counts({ requests, atOnce }: { requests: number; atOnce: number }): Promise<number> {
  const counters = client.db('bench').collection<Counter>('counters')
  const from = performance.now()
  await allOf(requests, atOnce, (index) =>
    counters.findOneAndUpdate({ _id: `${index % KEYS}` }, { $inc: { count: 1 } }, { upsert: true }),
  )
  return (requests * 1000) / (performance.now() - from)
}

serveCalls({ open, counts }, async () => client?.close())
