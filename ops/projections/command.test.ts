import { expect } from 'chai'
import { parseProjectionsCommand, USAGE } from './command.ts'

const shardsOf = (line: string) => [...(parseProjectionsCommand(line.split(' ')).shards ?? ['all'])]

describe('the command `projections`', () => {
  it('makes the views of some shards anew, or all', () => {
    expect(shardsOf('rebuild')).to.deep.equal(['all'])
    expect(shardsOf('rebuild --shard 3 --shard 7')).to.deep.equal([3, 7])
    expect(shardsOf('rebuild --shard 63,0,63')).to.deep.equal([63, 0])
    expect(shardsOf('rebuild --shard=5')).to.deep.equal([5])
  })

  it('tells its usage for anything else', () => {
    for (const line of ['', 'reset', 'rebuild 3', 'rebuild --shard 64', 'rebuild --shard 3,', 'rebuild --shards 3'])
      expect(() => shardsOf(line), line).to.throw(USAGE)
    for (const line of ['rebuild --shard -1', 'rebuild --shard x', 'rebuild --shard 1.5'])
      expect(() => shardsOf(line), line).to.throw(USAGE)
  })
})
