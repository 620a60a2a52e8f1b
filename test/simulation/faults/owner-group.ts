import { Newest } from '#packages/adapters/newest.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import type { Random } from '#test/doubles/random.ts'
import type { Life } from '../time/life.ts'
import type { World } from '../world.ts'

/** A life of a process that takes part. */
type Member = {
  life: Life
  newest: Newest<boolean>
  /** The number of looks since it last contacted the group. */
  silentFor: number
  /** The group has removed it, and it does not know yet. */
  isOut: boolean
  /** The newest message from the group that it has received. */
  heard: number
}

const LOOKS_EVERY_MS = 1000

/** A member that is silent for this many looks is out. */
const OUT_AFTER = 6

/** From the message that a process is the owner to its first task, milliseconds. */
const TAKEN_OVER_MS = 1500

/** How long there are two owners, or none, milliseconds. */
const ASTRAY_MS = [500, 8000] as const

/**
 * The group that elects the owner among the processes of a service, as Kafka does. An owner that has died, sleeps or is
 * cut off loses its place to another after some seconds, and continues until it learns of that. Sometimes another
 * becomes the owner without a reason, a second one believes that it is the owner, or none does. Members get the group's
 * messages at different times.
 */
export class OwnerGroup {
  readonly #world: World
  readonly #random: Random
  readonly #name: string
  readonly #members = new Set<Member>()
  #owner: Member | undefined
  #looking = false
  #electing = false
  #words = 0

  /** @param name under which the record notes that there is no owner */
  constructor(world: World, name: string) {
    this.#world = world
    this.#name = name
    this.#random = world.random.fork(name)
  }

  /** The messages of the group to one life of a process. */
  memberOf(life: Life): Ownership {
    const owned = async function* (this: OwnerGroup, signal: AbortSignal): AsyncIterable<boolean> {
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
    this.#electSoon()
  }

  #leave(member: Member): void {
    this.#members.delete(member)
    this.#electSoon()
  }

  #look(): void {
    for (const member of this.#members) this.#lookAt(member)
    this.#goAstray()
    if (this.#members.size > 0) this.#lookLater()
    else this.#looking = false
  }

  #lookLater(): void {
    this.#looking = true
    this.#world.scheduler.after(LOOKS_EVERY_MS, () => this.#look())
  }

  #lookAt(member: Member): void {
    member.silentFor = this.#isSilent(member) ? member.silentFor + 1 : 0
    if (member === this.#owner && member.silentFor > 0) this.#world.record.hinder(this.#name, LOOKS_EVERY_MS)
    if (member.silentFor === OUT_AFTER) {
      member.isOut = true
      if (!member.life.alive) this.#members.delete(member)
      this.#electSoon()
    } else if (member.isOut && member.silentFor === 0) {
      member.isOut = false
      this.#electSoon()
    }
  }

  #isSilent({ life }: Member): boolean {
    return !life.alive || life.paused || this.#world.record.isCutOff(life.name, 'publish')
  }

  #goAstray(): void {
    const { faults, scheduler } = this.#world
    const owner = this.#owner
    const standbys = [...this.#members].filter((member) => member !== owner && !member.isOut)
    if (owner === undefined) return
    if (standbys.length > 0 && faults.strikes('owner changed', this.#random)) {
      this.#owner = this.#random.pick(standbys)
      this.#electSoon()
    } else if (standbys.length > 0 && faults.strikes('two owners', this.#random)) {
      this.#tell(this.#random.pick(standbys), true)
      scheduler.after(this.#random.between(...ASTRAY_MS), () => this.#electSoon())
    } else if (faults.strikes('no owner', this.#random)) {
      const ms = this.#random.between(...ASTRAY_MS)
      this.#world.record.hinder(this.#name, ms)
      this.#tell(owner, false)
      scheduler.after(ms, () => this.#electSoon())
    }
  }

  #electSoon(): void {
    if (this.#electing) return
    this.#electing = true
    this.#world.scheduler.after(this.#random.between(50, 300), () => {
      this.#electing = false
      this.#elect()
    })
  }

  /** Keeps the owner unless the group has removed it. A dead owner's place stays taken until the group notices. */
  #elect(): void {
    const members = [...this.#members].filter(({ isOut }) => !isOut)
    if (members.length === 0) return
    if (this.#owner === undefined || !members.includes(this.#owner)) this.#owner = this.#random.pick(members)
    for (const member of members) this.#tell(member, member === this.#owner)
  }

  #tell(member: Member, isOwner: boolean): void {
    const { life, newest } = member
    const { faults, record, trace } = this.#world
    const word = ++this.#words
    const isLate = faults.on && this.#random.chance(0.1)
    const ms = isLate ? this.#random.between(500, 5000) : this.#random.between(0, 30)
    record.hinder(this.#name, ms + TAKEN_OVER_MS)
    life.deliver(ms, () => {
      if (word < member.heard) return
      member.heard = word
      trace.add(life.name, isOwner ? 'is told that it is the owner' : 'is told to stand by')
      newest.set(isOwner)
    })
  }
}

/** The name of the group of orchestrators. */
export const ORCHESTRATORS = 'owner of the orchestrators'
