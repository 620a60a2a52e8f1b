import { Newest } from '#packages/adapters/newest.ts'
import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { allShards, type Shard } from '#packages/ports/shards.ts'
import type { Random } from '#test/doubles/random.ts'
import type { Life } from '../time/life.ts'
import type { World } from '../world.ts'

/** A life of a process that shares the shards. */
type Member = {
  life: Life
  newest: Newest<ReadonlySet<Shard>>
  /** For how many looks the group has not heard of it. */
  silentFor: number
  /** The group has given its shards to others, and it has not heard of that. */
  isOut: boolean
  /** The newest deal that it has heard of. */
  heard: number
}

const LOOKS_EVERY_MS = 1000

/** A member that is silent for so many looks is out. */
const OUT_AFTER = 6

/** From the word that the shards are somebody's to the first task, milliseconds. */
const TAKEN_OVER_MS = 1500

/**
 * The group by which the processes of a service share the shards, as Kafka keeps it: a member that has died, sleeps or is cut off loses
 * its shards after some seconds, and goes on with them as long as it does not know. Now and then all shards are dealt
 * anew. Members hear of it at different times: meanwhile a shard may have two owners, or none.
 */
export class ShardGroup {
  readonly #world: World
  readonly #random: Random
  readonly #name: string
  readonly #isShared: boolean
  readonly #members = new Set<Member>()
  #looking = false
  #dealing = false
  #dealt = 0

  /** @param name under which it is recorded when shards have no owner */
  constructor(world: World, { name, members }: { name: string; members: number }) {
    this.#world = world
    this.#name = name
    this.#isShared = members > 1
    this.#random = world.random.fork(name)
  }

  /** What one life of a process hears of the group. */
  memberOf(life: Life): ShardOwnership {
    const owned = async function* (this: ShardGroup, signal: AbortSignal): AsyncIterable<ReadonlySet<Shard>> {
      const member: Member = { life, newest: new Newest(), silentFor: 0, isOut: false, heard: 0 }
      this.#join(member)
      try {
        yield* member.newest.follow(signal)
      } finally {
        if (life.alive) this.#leave(member)
      }
    }
    return { owned: owned.bind(this) }
  }

  #join(member: Member): void {
    if (!this.#looking) this.#lookLater()
    this.#members.add(member)
    this.#dealSoon()
  }

  #leave(member: Member): void {
    this.#members.delete(member)
    this.#dealSoon()
  }

  #look(): void {
    const { faults, record } = this.#world
    for (const member of this.#members) {
      member.silentFor = this.#isSilent(member) ? member.silentFor + 1 : 0
      if (member.silentFor > 0 && !member.isOut) record.hinder(this.#name, LOOKS_EVERY_MS)
      if (member.silentFor === OUT_AFTER) {
        member.isOut = true
        if (!member.life.alive) this.#members.delete(member)
        this.#dealSoon()
      } else if (member.isOut && member.silentFor === 0) {
        member.isOut = false
        this.#dealSoon()
      }
    }
    if (this.#isShared && faults.strikes('shards moved', this.#random)) this.#dealSoon()
    if (this.#members.size > 0) this.#lookLater()
    else this.#looking = false
  }

  #lookLater(): void {
    this.#looking = true
    this.#world.scheduler.after(LOOKS_EVERY_MS, () => this.#look())
  }

  #isSilent({ life }: Member): boolean {
    return !life.alive || life.paused || this.#world.record.isCutOff(life.name, 'publish')
  }

  #dealSoon(): void {
    if (this.#dealing) return
    this.#dealing = true
    this.#world.scheduler.after(this.#random.between(50, 300), () => {
      this.#dealing = false
      this.#deal()
    })
  }

  /** Gives each member its shards. Those of a member that has died wait until that is known. */
  #deal(): void {
    const members = [...this.#members].filter(({ isOut }) => !isOut)
    const before = this.#random.between(0, members.length)
    const dealt = ++this.#dealt
    for (const [index, member] of members.entries()) {
      const shards = [...allShards].filter((shard) => (shard + before) % members.length === index)
      this.#tell(member, new Set(shards), dealt)
    }
  }

  #tell(member: Member, shards: ReadonlySet<Shard>, dealt: number): void {
    const { life, newest } = member
    const { faults, record, trace } = this.#world
    const isLate = faults.on && this.#random.chance(0.1)
    const ms = isLate ? this.#random.between(500, 5000) : this.#random.between(0, 30)
    record.hinder(this.#name, ms + TAKEN_OVER_MS)
    life.deliver(ms, () => {
      if (dealt < member.heard) return
      member.heard = dealt
      trace.add(life.name, `owns ${shards.size} shards from ${Math.min(...shards)}`)
      newest.set(shards)
    })
  }
}

/** The name of the group of orchestrators. */
export const SHARDS_MOVE = 'shards'
