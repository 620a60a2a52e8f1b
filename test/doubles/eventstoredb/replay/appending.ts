import { randomUUID } from 'node:crypto'
import {
  ErrorType,
  isCommandError,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { ok, revisions, seen } from './seen.ts'
import { alone, numbered, one, type Setting, type Steps, sized } from './setting.ts'

const noStream = { expectedRevision: NO_STREAM } as const
const exists = { expectedRevision: STREAM_EXISTS } as const
const exactly = (revision: bigint | number) => ({ expectedRevision: BigInt(revision) })

/** Sections 0 to 2: the server's description of itself, first appends, refusals. */
export function firstAppends(on: Setting): Steps {
  const append = (...[stream, events, options]: Parameters<Setting['append']>) => ok(on.append(stream, events, options))
  const read = (stream: string) => revisions(() => on.client.readStream(stream))
  const named = { id: randomUUID(), type: 'T', data: { n: 1 } }
  return {
    '0': async () => {
      const features = await (on.client as unknown as { capabilities: Promise<object> }).capabilities
      const { supports, serverVersion } = features as { supports(method: object): boolean; serverVersion: string }
      const path = '/event_store.client.streams.Streams/BatchAppend'
      return { serverVersion, supportsBatchAppend: supports({ path }), keys: Object.keys(features).sort() }
    },
    '1a': () => seen(one()),
    '1b': () => append('t-s1', one(), noStream),
    '1c': () => append('t-s1b', numbered(3), noStream),
    '1d': () => append('t-s1c', [], noStream),
    '1e': () => read('t-s1c'),
    '1f': () => append('t-s1b', []),
    '1g': () => append('t-s1b', one()),
    '1h': () => append('', one()),
    '1i': () => append('$mine-t', one()),
    '1j': () => append('$$t-mx', one()),
    '1k': () => append('t-s1k', { ...one(), id: 'not-a-uuid' }),
    '1l': () => append('t-s1l', one({ n: 1 }, '')),
    '1m': () => append('t-s1m', [jsonEvent(named), jsonEvent(named)], noStream),
    '1n': () => read('t-s1m'),
    '2a': async () => {
      await on.append('t-s2', numbered(2), noStream)
      return append('t-s2', one(), noStream)
    },
    '2b': () => append('t-s2', one(), { ...noStream, ...alone }),
    '2c': async () => {
      const error = await on.append('t-s2', one(), noStream).catch((thrown: unknown) => thrown)
      return {
        isWrongExpectedVersionError: error instanceof WrongExpectedVersionError,
        isCommandError: isCommandError(error as Error),
        type: (error as WrongExpectedVersionError).type,
        ErrorTypeConst: ErrorType.WRONG_EXPECTED_VERSION,
      }
    },
  }
}

/** Section 3: repeats, while the server runs. */
export function repeats(on: Setting): Steps {
  const [e1, e2, e3] = [one(), one(), one()] as const
  const append = (...[stream, events, options]: Parameters<Setting['append']>) => ok(on.append(stream, events, options))
  const both = (options = {}) => append('t-s3', [e1, e2], options)
  const read = () => revisions(() => on.client.readStream('t-s3'))
  return {
    '3a': () => both(noStream),
    '3b': () => both(noStream),
    '3c': () => both(),
    '3d': () => both(exactly(1)),
    '3e': read,
    '3e2': () => both(exists),
    '3e3': read,
    '3f': () => append('t-s3', e3, exactly(3)),
    '3g': () => both(noStream),
    '3h': () => both(),
    '3i': () => append('t-s3', [e1, one()], noStream),
    '3j': () => append('t-s3', [e1, e2, e3, one()], noStream),
    '3k': () => append('t-s3', [e2, one()]),
    '3l': () => append('t-s3', [e1], noStream),
    '3m': () => append('t-s3', [e2], exactly(0)),
    '3n': () => append('t-s3', { ...e1, data: { n: 99 } }, noStream),
    '3o': read,
    '3p': () => append('t-s3p', e1, noStream),
    '3q': () => both({ ...noStream, ...alone }),
    '3u': async () => {
      const event = one()
      const answers = await Promise.all(Array.from({ length: 10 }, () => on.append('t-s3u', event)))
      const r = answers.map(({ nextExpectedRevision }) => seen(nextExpectedRevision))
      return { r, read: await revisions(() => on.client.readStream('t-s3u')) }
    },
  }
}

/** The rest of section 3: repeats of what was appended before a restart. It comes last. */
export function repeatsAfterRestart(on: Setting): Steps {
  const [e1, e2] = [one(), one()] as const
  const again = async (stream: string, events: (typeof e1)[], options = {}) => ({
    r: await ok(on.append(stream, events, options)),
    read: await revisions(() => on.client.readStream(stream)),
  })
  return {
    '3r': async () => {
      for (const name of ['3r', '3s', '3s2', '3s3']) await on.append(`t-${name}`, [e1, e2], noStream)
      await on.restart()
      return ok(on.append('t-3r', [e1, e2], noStream))
    },
    '3s': () => again('t-3s', [e1, e2]),
    '3s2': () => again('t-3s2', [e2]),
    '3s3': () => again('t-3s3', [e1, e2], exists),
  }
}

/** Section 4: expected revisions. */
export function expectations(on: Setting): Steps {
  const append = (options: object, stream = 't-s4') => ok(on.append(stream, one(), options))
  return {
    '4a': async () => {
      await on.append('t-s4', numbered(3), noStream)
      return append(exactly(2))
    },
    '4b': () => append(exactly(0)),
    '4c': () => append(exactly(99)),
    '4d': () => append(exactly(5), 't-s4m'),
    '4e': () => append(exists, 't-s4m2'),
    '4f': () => append(exists),
    '4g': () => append({ expectedRevision: 4 }),
    '4h': () => append({ expectedRevision: -5n }),
    '4i': async () => {
      // 4h broke the client's batch stream: the append that opens another one would come too late.
      await on.append('t-s4warm', one())
      const outcomes = await Promise.allSettled(numbered(10).map((event) => on.append('t-s4i', event, noStream)))
      return outcomes.map((outcome) =>
        outcome.status === 'fulfilled'
          ? `ok ${outcome.value.nextExpectedRevision}`
          : `${outcome.reason.type} actual ${outcome.reason.actualVersion}n`,
      )
    },
    '4j': async () => {
      const events = numbered(200)
      await Promise.all(events.map((event) => on.append('t-s4j', event)))
      const stored = await Array.fromAsync(on.client.readStream('t-s4j'))
      return { n: stored.length, inOrder: stored.every(({ event }, index) => event?.id === events[index]?.id) }
    },
  }
}

/** Section 9: conflicts that are returned, not thrown. */
export function quietConflicts(on: Setting): Steps {
  const quiet = () => on.connect('&throwOnAppendFailure=false')
  const append = (options: object, stream = 't-s9', event = one()) => ok(quiet().appendToStream(stream, event, options))
  return {
    '9a': async () => {
      await on.append('t-s9', numbered(3), noStream)
      return append(noStream)
    },
    '9b': () => append({ ...noStream, ...alone }),
    '9c': () => append(exactly(5), 't-s9m'),
    '9d': () => append(exactly(2)),
    '9e': () => append(exactly(3), 't-s9', sized(1_200_000)),
  }
}

const sizes = [
  900_000, 1_000_000, 1_048_000, 1_048_560, 1_048_566, 1_048_567, 1_048_568, 1_048_577, 1_200_000, 5_000_000,
]

/** Section 10: sizes. */
export function limits(on: Setting): Steps {
  const append = (...[stream, events, options]: Parameters<Setting['append']>) => ok(on.append(stream, events, options))
  const many = (count: number) => Array.from({ length: count }, () => sized(300_000))
  const oneOf = async (size: number) => ({
    ...((await append(`t-s10-${size}`, sized(size), noStream)) as object),
    ms: 0,
  })
  return {
    ...Object.fromEntries(sizes.map((size) => [`10a ${size}`, () => oneOf(size)])),
    '10b': () => append('t-s10b', sized(1_200_000), { ...noStream, ...alone }),
    '10c': () => append('t-s10c', many(5), noStream),
    '10d': () => append('t-s10d', many(3), noStream),
    '10e': () => append('t-s10e', many(20), noStream),
    '10f': () => append('t-s10f', one(), noStream),
    '10g': () => revisions(() => on.client.readStream('t-s10c')),
    '10h': async () => {
      const [small1, big, small2] = await Promise.all([
        append('t-s10h1', one()),
        append('t-s10h2', sized(5_000_000)),
        append('t-s10h3', one()),
      ])
      return { small1, big, small2 }
    },
    '10i': () =>
      append('t-s10i', jsonEvent({ type: 'T', data: 'x'.repeat(600_000), metadata: { m: 'x'.repeat(600_000) } })),
    '10j': () => append('t-s10j', numbered(2000), noStream),
    '10k': () => append('t-'.padEnd(2000, 'n'), one(), noStream),
  }
}
