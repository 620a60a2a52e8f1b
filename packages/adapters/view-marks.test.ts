import { expect } from 'chai'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import { SeenViews } from './view-marks.ts'

describe('the marks that a reader has seen', () => {
  it('make an older copy, put back in the place of its successor, unreadable until it has all that was read', () => {
    const seen = new SeenViews(['jobs', 'keys'])
    seen.read(1, 'jobs', 10)
    seen.read(2, 'jobs', 20)
    for (const one of [seen, seen.copy()]) {
      expect(() => one.read(1, 'keys', 0), 'nothing was read of it').to.not.throw()
      expect(() => one.read(1, 'jobs', 19)).to.throw(ViewsUnreadableError)
      expect(() => one.read(1, 'jobs', 20)).to.not.throw()
    }
  })

  it('let views that are made anew be read, wherever they stand', () => {
    const seen = new SeenViews(['jobs'])
    seen.read(1, 'jobs', 10)
    expect(() => seen.read(2, 'jobs', 5)).to.not.throw()
    expect(() => seen.read(2, 'jobs', 4)).to.throw(ViewsUnreadableError)
  })
})
