import { expect } from 'chai'
import { describeRecorded, recordedBehaviour } from '#test/doubles/recordings.ts'
import { expectations, firstAppends, limits, quietConflicts, repeats, repeatsAfterRestart } from './replay/appending.ts'
import { testAnswers } from './replay/asked.ts'
import { facts } from './replay/facts.ts'
import { allReads, newDatabase, streamReads } from './replay/reading.ts'
import { contents, removals } from './replay/removing.ts'
import { Normalized } from './replay/seen.ts'
import { Setting } from './replay/setting.ts'
import {
  checkpointShape,
  filteredSubscriptions,
  inLetters,
  liveCheckpoints,
  streamSubscriptions,
} from './replay/subscribing.ts'

/** Recordings of these sections are not repeated here. */
const otherSections = /^(12|14|15|16|99)\b|^(12|14|15|16)[a-z-]/

const leftOut: Record<string, string> = {
  '3t': 'how many ids the server remembers: it takes 200,000 appends',
  '6m': 'lists what sections 12 and 16 have left behind',
  '10a 20000000': "the text is that of the server's gRPC library",
  '10l': 'which of four appends are broken along is a matter of timing; the text is that of the gRPC library',
  '10m': 'what comes after 10l',
  '13c': 'nothing reaches a server: the client has an unhandled rejection, which ends the process',
}

/** Values that differ from run to run, besides positions, times and ids. */
const comparable: Record<string, (observed: never) => unknown> = {
  '7b': checkpointShape,
  '7f': (observed: { checkpoints: never }) => ({ ...observed, checkpoints: checkpointShape(observed.checkpoints) }),
  '7g': (observed: { checkpoints: never }) => ({ ...observed, checkpoints: checkpointShape(observed.checkpoints) }),
  // Leaves out how many events there were before.
  '7j': ({ n: _, ...rest }: { n: number }) => rest,
  '7k': ({ n: _, ...rest }: { n: number }) => rest,
  '7t': liveCheckpoints,
  '7u': inLetters,
  // Leaves out how many events were on their way when the reader left.
  '7s': ({ n: _, ...rest }: { n: number }) => rest,
  // Leaves out how many events were on their way when the reader was dropped.
  '8g': ({ afterResume, ...rest }: { afterResume: number }) => ({ ...rest, someAfterResume: afterResume > 0 }),
  '13f': (dates: string[]) => dates.map(() => 'a date'),
}

/** The ten recordings of 10a differ in a size only, which is in their names. */
const isCalled = (name: string, id: string): boolean =>
  name === id || name.startsWith(`${id} `) || (name.startsWith('10a ') && id === `10a ${/\d{3,}/.exec(name)?.[0]}`)

describe('the double of EventStoreDB, with the calls that the real server got', () => {
  const on = new Setting()
  before(() => on.start())
  after(() => on.stop())

  const steps = [
    newDatabase,
    firstAppends,
    repeats,
    expectations,
    streamReads,
    allReads,
    filteredSubscriptions,
    streamSubscriptions,
    quietConflicts,
    limits,
    removals,
    contents,
    repeatsAfterRestart,
  ].flatMap((section) => Object.entries(section(on)))
  const answers = testAnswers(steps)

  it('gets the call of every fact', () => {
    expect(steps.map(([id]) => id).sort()).to.deep.equal(Object.keys(facts).sort())
    expect(steps.length).to.be.at.least(120)
  })

  describeRecorded('what it answers', () => {
    const recordings = recordedBehaviour() ?? []
    const recordingOf = (id: string): { name: string; observed: unknown } => {
      const found = recordings.filter(({ name }) => isCalled(name, id))
      if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} recordings are called ${id}`)
      return found[0]
    }

    const theirs = new Normalized()
    for (const [id] of steps)
      it(`${id} matches the recording, in every field`, () => {
        const prepare = comparable[id] ?? ((value: never) => value)
        expect(answers.get(id)).to.deep.equal(theirs.of(prepare(recordingOf(id).observed as never)))
      })

    it(`repeats ${steps.length} recordings, and has a reason for each other one in its sections`, () => {
      const named = [...steps.map(([id]) => id), ...Object.keys(leftOut)].map((id) => recordingOf(id).name)
      const asked = recordings.map(({ name }) => name).filter((name) => !otherSections.test(name))
      expect([...named].sort()).to.deep.equal([...asked].sort())
      expect(asked).to.have.length(171)
      for (const reason of Object.values(leftOut)) expect(reason).to.not.equal('')
    })
  })
})
