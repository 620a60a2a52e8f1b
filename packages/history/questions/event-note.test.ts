import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { noteOf } from './event-note.ts'

describe('the note of an event', () => {
  const events = readHistories().flatMap((history) => history.events)

  it('is there for every type', () => {
    const noted = events.filter((event) => noteOf(event).length > 0)
    expect([...new Set(noted.map(({ type }) => type))].sort()).to.deep.equal(Object.keys(newestVersion).sort())
    for (const event of noted) expect(noteOf(event), event.type).to.not.match(/undefined|NaN|\[object/)
  })

  it('tells of one credit, and of several', () => {
    const taken = (credits: number) =>
      noteOf({ type: 'JobCompleted', data: { orgId: 'org-1', kind: 'transcript', credits } })
    expect([taken(1), taken(5)]).to.deep.equal(['1 credit earned', '5 credits earned'])
  })
})
