import { AssignerProtocol, type PartitionAssigner } from 'kafkajs'

const { MemberMetadata, MemberAssignment } = AssignerProtocol

const nothing = Buffer.alloc(0)
const OWNS = Buffer.from('owns')

/**
 * Assigns the only partition of a topic. Each member reports whether it has the partition, and that member keeps it
 * when others join or leave. If no member reports it, or several do, the first of them by id gets it.
 * @param owns whether this member has the partition now; called at each rebalance
 */
export const livingOwner =
  (topic: string, owns: () => boolean): PartitionAssigner =>
  () => ({
    name: 'LivingOwner',
    version: 0,
    protocol: ({ topics }) => ({
      name: 'LivingOwner',
      metadata: MemberMetadata.encode({ version: 0, topics, userData: owns() ? OWNS : nothing }),
    }),
    async assign({ members }) {
      const owner = ownerAmong(members)
      return members.map(({ memberId }) => {
        const assignment: Record<string, number[]> = memberId === owner ? { [topic]: [0] } : {}
        return { memberId, memberAssignment: MemberAssignment.encode({ version: 0, assignment, userData: nothing }) }
      })
    },
  })

function ownerAmong(members: readonly { memberId: string; memberMetadata: Buffer }[]): string | undefined {
  const owning = members.filter(({ memberMetadata }) => MemberMetadata.decode(memberMetadata)?.userData.equals(OWNS))
  const candidates = owning.length > 0 ? owning : members
  return candidates.map(({ memberId }) => memberId).sort()[0]
}
