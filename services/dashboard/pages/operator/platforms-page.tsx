/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Warning } from '#packages/foundation/readiness/readiness.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { platforms } from '#packages/platforms/registry.ts'
import { Notice, Time } from '../../look/parts.tsx'
import { OperatorFrame } from './operator-frame.tsx'

export type Health = {
  /** What is unavailable, in words. */
  problems: readonly string[]
  /** Problems outside of the service. */
  warnings: readonly Warning[]
  /** Whether each server and follower works, by name. */
  dependencies: ReadonlyMap<string, boolean>
  standing: ReturnType<Platforms['standing']>
}

/** The answer of `/ready`, for people. */
export const PlatformsPage = ({ root, health }: { root: string; health: Health }): VNode => (
  <OperatorFrame root={root} current="platforms" title="Platforms">
    {health.problems.length === 0 ? (
      <Notice tone="good">
        <p>The service is ready: everything it needs responds.</p>
      </Notice>
    ) : (
      <Notice tone="bad">
        <p>The service is not ready. Accepted jobs are kept and continue once this responds again:</p>
        <List items={health.problems} />
      </Notice>
    )}
    {health.warnings.length > 0 && (
      <Notice tone="warn">
        <p>An external service has a problem. This service keeps working:</p>
        <List items={health.warnings.map(({ message }) => message)} />
      </Notice>
    )}
    <h2 class="apart">Platforms</h2>
    <p class="quiet">As seen by the process that serves this page, since it started.</p>
    <div class="grid">
      {platforms.map(({ name, label }) => (
        <Standing key={name} name={name} label={label} standing={health.standing} />
      ))}
    </div>
    <h2>Dependencies</h2>
    <ul class="plain">
      {[...health.dependencies].map(([name, isWell]) => (
        <li key={name} class="row need">
          <span class={`badge ${isWell ? 'good' : 'bad'}`}>{isWell ? 'OK' : 'Down'}</span>
          {name}
        </li>
      ))}
    </ul>
  </OperatorFrame>
)

const List = ({ items }: { items: readonly string[] }): VNode => (
  <ul>
    {items.map((item) => (
      <li key={item}>{item}</li>
    ))}
  </ul>
)

type StandingParts = { name: string; label: string; standing: Health['standing'] }

function Standing({ name, label, standing }: StandingParts): VNode {
  const blocked = standing.blocked.filter(({ platform }) => platform === name)
  const resting = standing.restingAccounts.filter(({ platform }) => platform === name)
  return (
    <section class="card">
      <div class="head">
        <h3>{label}</h3>
        <span class={`badge ${blocked.length === 0 ? 'good' : 'bad'}`}>
          {blocked.length === 0 ? 'OK' : 'Refuses us'}
        </span>
      </div>
      {blocked.length === 0 && resting.length === 0 && <p class="quiet">Responding, or not used recently.</p>}
      {blocked.length > 0 && (
        <ul>
          {blocked.map(({ exit, way, state, since }) => (
            <li key={`${exit} ${way}`}>
              {exit === 'direct' ? 'This machine’s own address' : <code>{exit}</code>}
              {way !== 'yt-dlp' && ` (read by ${way})`}
              {state === 'open' ? ' refused, paused since ' : ' retrying, refused since '}
              <Time at={since} />
            </li>
          ))}
        </ul>
      )}
      {resting.length > 0 && (
        <ul>
          {resting.map(({ until }, at) => (
            <li key={at}>
              An account was asked to sign in, and is paused until <Time at={until.toISOString()} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
