import { expect } from 'chai'
import { pino } from 'pino'
import { FeedLag } from '#packages/events/store/feed-lag.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { caughtUp, type Dependency, Readiness } from './readiness.ts'

const log = pino({ level: 'silent' })

describe('readiness', () => {
  let clock: ManualClock
  let looks: number
  beforeEach(() => {
    clock = new ManualClock()
    looks = 0
  })

  const dependency = (look: Dependency['look'], name = 'the store'): Dependency => ({
    name,
    look() {
      looks++
      return look()
    },
  })
  const problemsOf = (...dependencies: Dependency[]) => new Readiness({ clock, log }, dependencies)

  it('reports no problem when everything answers, and every problem otherwise', async () => {
    expect(await problemsOf(dependency(async () => undefined)).problems()).to.deep.equal([])
    const failing = dependency(() => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:2113')))
    const behind = dependency(async () => 'the follower jobs is behind', 'the follower jobs')
    const problems = await problemsOf(
      failing,
      dependency(async () => undefined),
      behind,
    ).problems()
    expect(problems).to.deep.equal(['the store does not answer', 'the follower jobs is behind'])
  })

  it('does not wait longer than two seconds for a dependency that hangs', async () => {
    const readiness = problemsOf(dependency(() => new Promise(() => {})))
    const asking = readiness.problems()
    await clock.advance(1999)
    let answered: string[] | undefined
    void asking.then((problems) => {
      answered = problems
    })
    await settle()
    expect(answered).to.equal(undefined)
    await clock.advance(1)
    expect(await asking).to.deep.equal(['the store does not answer'])
  })

  it('checks at most once a second, however many requests arrive', async () => {
    const readiness = problemsOf(dependency(async () => undefined))
    await Promise.all(Array.from({ length: 50 }, () => readiness.problems()))
    expect(looks).to.equal(1)
    await clock.advance(1000)
    await readiness.problems()
    expect(looks).to.equal(2)
  })

  it('accepts a follower that is behind for a moment, but not one that never caught up', async () => {
    const lag = new FeedLag(clock)
    const { look } = caughtUp('keys', lag)
    expect(await look()).to.equal('the follower keys has not caught up with the events yet')
    lag.note(true)
    expect(await look()).to.equal(undefined)
    lag.note(false)
    await clock.advance(4999)
    lag.note(false)
    expect(await look()).to.equal(undefined)
    await clock.advance(1)
    expect(await look()).to.equal('the follower keys has been behind the events for 5 s')
    lag.note(true)
    expect(await look()).to.equal(undefined)
  })
})
