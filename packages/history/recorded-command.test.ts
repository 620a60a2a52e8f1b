import { expect } from 'chai'
import { job } from '#packages/domain/job/job.ts'
import { key } from '#packages/domain/key/key.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { type Decider, fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { recordedCommands } from './recorded-command.ts'

type Rules = Decider<unknown, unknown, StoredEvent>
const deciders = { job, key, organization } as unknown as Record<string, Rules>
const commands = recordedCommands as Record<string, (event: StoredEvent) => unknown>

describe('the command that an event tells of', () => {
  for (const { name, kind, events } of readHistories()) {
    const decider = deciders[kind]
    if (decider === undefined) continue
    it(`leads to that event again: ${name}`, () => {
      let commanded = 0
      for (const [index, event] of events.entries()) {
        const command = commands[kind]?.(event)
        if (command === undefined) continue
        commanded++
        const [decided] = decider.decide(command, fold(decider, events.slice(0, index)))
        expect(decided?.type, `${event.type} #${index}`).to.equal(event.type)
        // The messages of failures were other ones in the past.
        if (event.type !== 'JobFailed') expect(decided?.data).to.deep.equal(event.data)
      }
      expect(commanded).to.be.greaterThan(0)
    })
  }

  it('is missing only where the event does not tell enough, or another event of its decision does', () => {
    const without = readHistories().flatMap(({ kind, events }) =>
      // What no decider decides has no command.
      events.filter((event) => kind in commands && commands[kind]?.(event) === undefined).map(({ type }) => type),
    )
    expect([...new Set(without)].sort()).to.deep.equal([
      ...['CreditsRenewed', 'CreditsStated', 'JobCompleted', 'JobFailed', 'StepFailed'],
    ])
  })

  it('is a debit at the price of its mode, or at what was taken where the mode is not known', () => {
    const debits = readHistories().flatMap(({ name, events }) =>
      events.flatMap((event) => (event.type === 'CreditsDebited' ? [{ name, event }] : [])),
    )
    for (const { name, event } of debits) {
      const command = recordedCommands.credits(event)
      if (command?.type !== 'debit') throw new Error(`${name} has a debit without a command`)
      const { credits, mode, operation } = event.data
      if (operation === 'extraction') expect(command).to.include({ full: 10, least: 10 })
      else if (mode === 'auto') expect(command).to.include({ full: 5, least: 1 })
      else expect(command).to.include({ full: credits, least: credits })
    }
    expect(debits.some(({ event }) => event.data.mode === 'auto')).to.equal(true)
  })
})
