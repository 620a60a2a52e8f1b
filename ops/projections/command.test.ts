import { expect } from 'chai'
import { assertRebuild, USAGE } from './command.ts'

describe('npm run projections', () => {
  it('knows one command', () => {
    assertRebuild(['rebuild'])
    for (const line of ['', 'reset', 'rebuild 3', 'rebuild --all'])
      expect(() => assertRebuild(line.split(' ')), line).to.throw(USAGE)
  })
})
