import { expect } from 'chai'
import { type Lane, lanes, perStep, steps } from '#packages/domain/job/events.ts'
import { Backlog, type Shares } from './backlog.ts'

const none: Shares = { outstanding: 0, perOrganization: 0 }

/** A backlog of the fetch step only. `issueAll` issues jobs until there is no room. */
function fetching(shares: Partial<Shares> = {}) {
  const fetch = { outstanding: 100, perOrganization: 100, ...shares }
  const backlog = new Backlog({ ...perStep(() => none), fetch })
  return {
    backlog,
    offer: (orgId: string, jobId: string, now = 0, lane: Lane = 'standard') =>
      backlog.offer('fetch', lane, orgId, jobId, now),
    issueAll: (now = 0, lane: Lane = 'standard'): string[] => {
      const issued: string[] = []
      for (let job = backlog.issue('fetch', lane, now); job; job = backlog.issue('fetch', lane, now)) issued.push(job)
      return issued
    },
  }
}

describe('the backlog', () => {
  it('gives organizations turns in the order of their first jobs, and issues their jobs in order', () => {
    const { offer, issueAll } = fetching()
    for (const job of ['a1', 'a2', 'a3']) offer('a', job)
    for (const job of ['b1', 'b2']) offer('b', job)
    offer('c', 'c1')
    expect(issueAll()).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('issues a job once, however often it is offered, until the job moves on', () => {
    const { backlog, offer, issueAll } = fetching()
    offer('a', 'a1')
    offer('a', 'a1')
    expect(issueAll()).to.deep.equal(['a1'])
    offer('a', 'a1')
    expect(issueAll()).to.deep.equal([])
    backlog.withdraw('a', 'a1')
    offer('a', 'a1')
    expect(issueAll()).to.deep.equal(['a1'])
  })

  it('has no more tasks published than its limit, until one is claimed or moves on', () => {
    const { backlog, offer, issueAll } = fetching({ outstanding: 2 })
    for (const job of ['a1', 'a2', 'a3', 'a4']) offer('a', job)
    expect(issueAll()).to.deep.equal(['a1', 'a2'])
    backlog.withdraw('a', 'a2')
    expect(issueAll()).to.deep.equal(['a3'])
  })

  it("counts an organization's claimed jobs into its share", () => {
    const { backlog, offer, issueAll } = fetching({ perOrganization: 2 })
    backlog.hold('fetch', 'standard', 'a', 'held')
    for (const job of ['a1', 'a2']) offer('a', job)
    expect(issueAll()).to.deep.equal(['a1'])
    backlog.withdraw('a', 'held')
    expect(issueAll()).to.deep.equal(['a2'])
  })

  it('counts a job with a lost claim as waiting', () => {
    const { backlog, offer, issueAll } = fetching({ perOrganization: 1 })
    backlog.hold('fetch', 'standard', 'a', 'a1')
    offer('a', 'a1')
    expect(issueAll()).to.deep.equal(['a1'])
  })

  it('passes over an organization with a full share, and returns to it', () => {
    const { backlog, offer, issueAll } = fetching({ perOrganization: 1 })
    for (const job of ['a1', 'a2']) offer('a', job)
    offer('b', 'b1')
    expect(issueAll()).to.deep.equal(['a1', 'b1'])
    backlog.withdraw('a', 'a1')
    expect(issueAll()).to.deep.equal(['a2'])
  })

  it('gives the batches of an organization half of its share, beside its single jobs', () => {
    const backlog = new Backlog(perStep(() => ({ outstanding: 10, perOrganization: 4 })))
    for (const lane of ['bulk', 'standard'] as const)
      for (let n = 0; n < 6; n++) backlog.offer('fetch', lane, 'acme', `${lane}-${n}`, n)
    const issued = (lane: Lane) => Array.from({ length: 6 }, () => backlog.issue('fetch', lane, 10)).filter(Boolean)
    expect(issued('bulk')).to.have.length(2)
    expect(issued('standard')).to.have.length(4)
  })

  it('keeps the shares of steps and lanes apart', () => {
    const one = { outstanding: 1, perOrganization: 1 }
    const backlog = new Backlog(perStep(() => one))
    for (const step of steps)
      for (const lane of lanes) {
        backlog.offer(step, lane, 'a', `${step} ${lane}`, 0)
        expect(backlog.issue(step, lane, 0)).to.equal(`${step} ${lane}`)
      }
  })

  it('forgets a job that is withdrawn while it waits, and keeps its neighbours', () => {
    const { backlog, offer, issueAll } = fetching()
    for (const job of ['a1', 'a2']) offer('a', job)
    offer('b', 'b1')
    backlog.withdraw('a', 'a1')
    backlog.withdraw('b', 'b1')
    backlog.withdraw('nobody', 'none')
    expect(issueAll()).to.deep.equal(['a2'])
  })

  it('still counts a claimed job when another job of its organization moves on', () => {
    const { backlog, offer, issueAll } = fetching({ perOrganization: 1 })
    backlog.hold('fetch', 'standard', 'a', 'held')
    offer('a', 'a1')
    backlog.withdraw('a', 'a1')
    offer('a', 'a2')
    expect(issueAll()).to.deep.equal([])
  })

  describe('measures how long the next organization in turn has waited', () => {
    it('from when its first job was offered', () => {
      const { backlog, offer } = fetching()
      expect(backlog.oldestTurn('standard')).to.equal(null)
      offer('a', 'a1', 10)
      offer('a', 'a2', 20)
      offer('b', 'b1', 30)
      expect(backlog.oldestTurn('standard')).to.equal(10)
      expect(backlog.oldestTurn('priority')).to.equal(null)
    })

    it('again after each of its turns', () => {
      const { backlog, offer } = fetching()
      for (const job of ['a1', 'a2']) offer('a', job, 10)
      offer('b', 'b1', 20)
      backlog.issue('fetch', 'standard', 100)
      expect(backlog.oldestTurn('standard')).to.equal(20)
      backlog.issue('fetch', 'standard', 110)
      expect(backlog.oldestTurn('standard')).to.equal(100)
      backlog.issue('fetch', 'standard', 120)
      expect(backlog.oldestTurn('standard')).to.equal(null)
    })

    it('again after all its jobs were withdrawn', () => {
      const { backlog, offer } = fetching()
      offer('a', 'a1', 10)
      backlog.withdraw('a', 'a1')
      expect(backlog.oldestTurn('standard')).to.equal(null)
      offer('a', 'a2', 50)
      expect(backlog.oldestTurn('standard')).to.equal(50)
    })

    it('without organizations that have a full share', () => {
      const { backlog, offer } = fetching({ perOrganization: 1 })
      for (const job of ['a1', 'a2']) offer('a', job, 10)
      backlog.issue('fetch', 'standard', 20)
      expect(backlog.oldestTurn('standard')).to.equal(null)
      offer('b', 'b1', 30)
      expect(backlog.oldestTurn('standard')).to.equal(30)
    })

    it('as the longest wait at any step', () => {
      const each = { outstanding: 0, perOrganization: 1 }
      const backlog = new Backlog(perStep(() => each))
      backlog.offer('fetch', 'standard', 'a', 'a1', 30)
      backlog.offer('extract', 'standard', 'b', 'b1', 10)
      backlog.offer('caption', 'standard', 'c', 'c1', 20)
      expect(backlog.oldestTurn('standard')).to.equal(10)
    })
  })
})
