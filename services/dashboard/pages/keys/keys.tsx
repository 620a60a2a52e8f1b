/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { EndedKey, UsedKey } from '#packages/accounts/keys/keys.ts'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import type { Spending } from '#packages/domain/credits/ledger.ts'
import { periodOf } from '#packages/domain/credits/months.ts'
import { hasExpired } from '#packages/domain/key/grant.ts'
import { operator } from '#packages/domain/key/key.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { CopyBox, Day, Empty, formatNumber, Notice, Scroll } from '../../look/parts.tsx'
import { onceIn } from '../../once.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import {
  type Flash,
  type OrgPageContext,
  type Page,
  page,
  pathOf,
  type Redirect,
  type Route,
  redirect,
} from '../../route.ts'
import { refusalOf, refusedIn } from '../submitted.ts'
import { firstCall } from '../try/first-call.ts'
import { emptyFields, fieldsOf, requestOf } from './key-form.ts'
import { NewKeyForm } from './new-key-form.tsx'
import { capOf, Marks, scopesOf } from './words.tsx'

type Parts = Pick<DashboardParts, 'ownKeys' | 'ledgers' | 'clock' | 'ids' | 'sealer'>

/** `/org/{orgId}/keys` */
export const keysRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/org/:orgId/keys',
    access: 'member',
    get: (context) => {
      const { flash, baseUrl, org } = context
      const { exampleUrl, root } = options
      if (flash.newKey === undefined) return keysPage(parts, context, options)
      return newKeyPage(flash.newKey, { baseUrl, exampleUrl, base: root + pathOf(org.orgId, 'keys') })
    },
    post: (context) => makeKey(parts, context),
  },
]

async function keysPage(
  { ownKeys, ledgers, clock, ids }: Parts,
  { org, flash }: OrgPageContext,
  { root }: PageOptions,
): Promise<Page> {
  const { status, problems, typed } = refusedIn(flash)
  const fields = flash.typed === undefined ? emptyFields : fieldsOf(typed)
  const [keys, ledger] = await Promise.all([
    orMissing(() => ownKeys.withRevoked(org.orgId)),
    orMissing(() => ledgers.current(org.orgId)),
  ])
  const spending = ledger.missing ? undefined : ledger.value.spending
  const action = `${root}/org/${org.orgId}/keys`
  const tomorrow = isoOf(clock.now() + 24 * 60 * 60 * 1000).slice(0, 10)
  return page({
    title: 'Keys',
    status,
    section: 'keys',
    main: (
      <>
        <h1>Keys</h1>
        <p class="quiet narrow">
          Send your key in the header <code>x-api-key</code>. Use one key per program, so that you can revoke one
          without affecting the others.
        </p>
        <KeyList keys={keys} spending={spending} now={clock.now()} base={action} />
        <NewKeyForm action={action} fields={fields} problems={problems} firstDay={tomorrow} once={ids.uuid()} />
      </>
    ),
  })
}

async function makeKey(parts: Parts, context: OrgPageContext): Promise<Redirect> {
  const { org, form } = context
  const list = pathOf(org.orgId, 'keys')
  const fields = fieldsOf(form)
  try {
    const request = requestOf(fields, parts.clock.now())
    const made = await parts.ownKeys.create(request, operator, metadataOf(context), secretOf(parts, context))
    const runsJobs = made.scopes === undefined || made.scopes.includes('jobs')
    return redirect(list, { flash: { newKey: { name: made.name, key: made.key, runsJobs } } })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return redirect(list, { flash: { refusal: refusalOf(error), typed: [...form] } })
  }
}

/** The same for a form that is sent twice, as by a double click. It creates one key, and both answers show it. */
function secretOf({ sealer }: Parts, { org, form }: OrgPageContext): string | undefined {
  if (onceIn(form) === undefined) return undefined
  return createSecret(sealer.digest('form', JSON.stringify([org.orgId, ...form])))
}

/** The only page that shows a key's secret. */
const newKeyPage = (
  made: NonNullable<Flash['newKey']>,
  { baseUrl, exampleUrl, base }: { baseUrl: string; exampleUrl: string; base: string },
): Page =>
  page({
    title: 'Your new key',
    section: 'keys',
    main: (
      <section class="narrow">
        <h1>Your new key: {made.name}</h1>
        <Notice tone="warn">
          <p>
            <strong>Copy it now.</strong> Only a hash of it is stored, so it cannot be shown again. Store it where your
            program keeps its secrets, and never in a browser or a repository.
          </p>
        </Notice>
        <CopyBox text={made.key} />
        {made.runsJobs && (
          <>
            <h2>Try it</h2>
            <p>This requests the transcript of a short video and costs 1 credit.</p>
            <CopyBox text={firstCall({ baseUrl, exampleUrl, key: made.key })} />
          </>
        )}
        <p>
          <a class="button main" href={base}>
            I’ve copied it
          </a>
        </p>
      </section>
    ),
  })

type ListParts = {
  keys: OrMissing<{ active: UsedKey[]; revoked: EndedKey[] }>
  spending: Spending | undefined
  now: number
  base: string
}

function KeyList({ keys, spending, now, base }: ListParts): VNode {
  if (keys.missing) return <Missing what="Your keys" />
  const { active, revoked } = keys.value
  if (active.length + revoked.length === 0)
    return (
      <Empty title="No keys yet">
        <p>Create one below. Its secret is shown once.</p>
      </Empty>
    )
  return (
    <Scroll label="Keys">
      <table class="stacked">
        <caption class="hidden">Keys, oldest first, then revoked ones</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Permissions</th>
            <th scope="col">
              Credits
              <br />
              this month
            </th>
            <th scope="col">Expires</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="hidden">Edit or revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {active.map((key) => (
            <Row key={key.id} shown={key} spent={spentBy(key.id, spending, now)} now={now} base={base} />
          ))}
          {revoked.map((key) => (
            <RevokedRow key={key.id} shown={key} spent={spentBy(key.id, spending, now)} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const Row = (row: { shown: UsedKey; spent: number | undefined; now: number; base: string }): VNode => {
  const { id, name, grant, lastUsedAt } = row.shown
  return (
    <tr>
      <td data-label="Name" class="name">
        <span>
          {name}
          <br />
          <Marks of={row.shown} />
        </span>
      </td>
      <td data-label="Permissions">{scopesOf(grant)}</td>
      <td data-label="Credits this month">{capOf(grant, row.spent)}</td>
      <td data-label="Expires">
        {grant.expiresAt === null ? (
          'Never'
        ) : (
          <span>
            <Day at={isoOf(grant.expiresAt)} /> {hasExpired(grant, row.now) && <span class="badge bad">Expired</span>}
          </span>
        )}
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Day at={lastUsedAt} />}</td>
      <td>
        <span class="row">
          <a class="button small" href={`${row.base}/${id}/edit`} aria-label={`Edit ${name}`}>
            Edit
          </a>
          <a class="button small" href={`${row.base}/${id}`} aria-label={`Revoke ${name}`}>
            Revoke
          </a>
        </span>
      </td>
    </tr>
  )
}

const RevokedRow = ({ shown, spent }: { shown: EndedKey; spent: number | undefined }): VNode => (
  <tr class="quiet">
    <td data-label="Name" class="name">
      <span>
        {shown.name} <span class="badge bad">Revoked</span>
        <br />
        <Marks of={shown} />
      </span>
    </td>
    <td data-label="Permissions">{scopesOf(shown.grant)}</td>
    <td data-label="Credits this month">{spent === undefined ? '–' : formatNumber(spent)}</td>
    <td data-label="Expires">
      <span>
        Revoked <Day at={shown.revokedAt} />
      </span>
    </td>
    <td data-label="Last used">{shown.lastUsedAt === null ? 'Never' : <Day at={shown.lastUsedAt} />}</td>
    <td />
  </tr>
)

/** Credits that a key has used this month (UTC), including those of open jobs; undefined: unknown right now. */
function spentBy(keyId: string, spending: Spending | undefined, now: number): number | undefined {
  if (spending === undefined) return undefined
  return spending.period === periodOf(now) ? (spending.byKey.get(keyId) ?? 0) : 0
}
