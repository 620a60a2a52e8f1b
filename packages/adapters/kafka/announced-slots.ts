import { type Admin, AssignerProtocol, type PartitionAssigner, PartitionAssigners } from 'kafkajs'
import { type Step, steps } from '#packages/domain/job/events.ts'
import type { KafkaLink } from './link.ts'
import type { Topics } from './topics.ts'

const { MemberMetadata, MemberAssignment } = AssignerProtocol

/** Assigns partitions as kafkajs does by default, and announces this member's slots to the group. */
export const tellingSlots =
  (slots: number): PartitionAssigner =>
  (config) => {
    const assigner = PartitionAssigners.roundRobin(config)
    const { name, version } = assigner
    const userData = Buffer.from(JSON.stringify({ slots }))
    const protocol = ({ topics }: { topics: string[] }) => ({
      name,
      metadata: MemberMetadata.encode({ version, topics, userData }),
    })
    return { ...assigner, protocol }
  }

/** The slots that members announce to the groups of all steps. */
export class AnnouncedSlots {
  readonly #link: KafkaLink
  readonly #topics: Topics
  #admin: Admin | undefined

  constructor(link: KafkaLink, topics: Topics) {
    this.#link = link
    this.#topics = topics
  }

  /** The slots by step, without steps that are rebalancing. @throws Error the brokers do not answer */
  async ask(): Promise<Partial<Record<Step, number>>> {
    const admin = this.#admin ?? this.#link.kafka.admin()
    this.#admin = admin
    try {
      await admin.connect()
      const { groups } = await admin.describeGroups(steps.map((step) => this.#topics.groupOf(step)))
      const announced: Partial<Record<Step, number>> = {}
      for (const step of steps) {
        const group = groups.find(({ groupId }) => groupId === this.#topics.groupOf(step))
        const slots = group && slotsOf(group)
        if (slots !== undefined) announced[step] = slots
      }
      return announced
    } catch (error) {
      // The client may keep asking brokers that no longer lead.
      await this.close()
      throw error
    }
  }

  async close(): Promise<void> {
    const admin = this.#admin
    this.#admin = undefined
    if (admin) await this.#link.close(admin)
  }
}

type Group = Awaited<ReturnType<Admin['describeGroups']>>['groups'][number]

function slotsOf({ state, members }: Group): number | undefined {
  if (state === 'Empty' || state === 'Dead') return 0
  if (state !== 'Stable') return undefined
  return members.reduce((sum, { memberMetadata, memberAssignment }) => {
    const assigned = Object.values(MemberAssignment.decode(memberAssignment)?.assignment ?? {})
    // A member without a partition receives no task.
    return assigned.some((partitions) => partitions.length > 0) ? sum + slotsIn(memberMetadata) : sum
  }, 0)
}

function slotsIn(metadata: Buffer): number {
  const announced = JSON.parse(String(MemberMetadata.decode(metadata)?.userData)) as { slots: number }
  return announced.slots
}
