import { expect } from 'chai'
import { type Assigner, AssignerProtocol } from 'kafkajs'
import { livingOwner } from './living-owner.ts'

/** The assigner does not look at the cluster. */
const assignerOf = (owns: () => boolean): Assigner =>
  livingOwner('video.owner', owns)({} as Parameters<ReturnType<typeof livingOwner>>[0])

const topics = ['video.owner']

/** A member as the leader of its group sees it. */
const member = (memberId: string, owns: boolean) => ({
  memberId,
  memberMetadata: assignerOf(() => owns).protocol({ topics }).metadata,
})

async function partitionsOf(...members: ReturnType<typeof member>[]) {
  const assigned = await assignerOf(() => false).assign({ members, topics })
  return Object.fromEntries(
    assigned.map(({ memberId, memberAssignment }) => [
      memberId,
      AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment['video.owner'] ?? [],
    ]),
  )
}

describe('the assigner that keeps the living owner', () => {
  it('leaves the partition with the member that has it when others join or leave', async () => {
    const owner = member('b', true)
    expect(await partitionsOf(member('a', false), owner)).to.deep.equal({ a: [], b: [0] })
    expect(await partitionsOf(member('c', false), owner, member('a', false))).to.deep.equal({ a: [], b: [0], c: [] })
    expect(await partitionsOf(owner)).to.deep.equal({ b: [0] })
  })

  it('gives it to the first by id if no member has it, and to the first claimant if several say so', async () => {
    expect(await partitionsOf(member('b', false), member('a', false))).to.deep.equal({ a: [0], b: [] })
    expect(await partitionsOf(member('c', true), member('b', true), member('a', false))).to.deep.equal({
      a: [],
      b: [0],
      c: [],
    })
  })

  it('asks each time whether this member has it', async () => {
    let has = false
    const { protocol } = assignerOf(() => has)
    const before = protocol({ topics }).metadata
    has = true
    expect(protocol({ topics }).metadata.equals(before)).to.equal(false)
  })
})
