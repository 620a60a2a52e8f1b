import { expect } from 'chai'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import { SeenViews } from './view-marks.ts'

describe('what a process has seen of views', () => {
  it('cannot be read once, where views come back that others had replaced, and then is what they say', () => {
    const seen = new SeenViews(['jobs'])
    seen.read('older', 'jobs', 5)
    seen.read('newer', 'jobs', 9)
    for (let time = 0; time < 2; time++) {
      expect(() => seen.copy().read('older', 'jobs', 5)).to.throw(ViewsUnreadableError)
      expect(() => seen.read('older', 'jobs', 5)).to.throw(ViewsUnreadableError)
      seen.read('older', 'jobs', 6)
      expect(() => seen.read('older', 'jobs', 5)).to.throw(ViewsUnreadableError)
      expect(() => seen.read('newer', 'jobs', 1)).to.throw(ViewsUnreadableError)
      seen.read('newer', 'jobs', 1)
    }
  })
})
