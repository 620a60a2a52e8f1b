/** @jsxRuntime automatic @jsxImportSource preact */
import { operator } from '#packages/domain/key/key.ts'
import { statusOf } from '#packages/errors/service-error.ts'
import type { OwnKey } from '#packages/keys/keys.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Field, Time } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Route, redirect } from '../../route.ts'
import { refusedIn, refusedWith } from '../submitted.ts'
import { Marks, scopesOf } from './words.tsx'

type Parts = Pick<DashboardParts, 'ownKeys'>

/** `/org/{orgId}/keys/{keyId}`: one key, and its end. */
export const revokeKeyRoutes = ({ ownKeys }: Parts, { root }: PageOptions): Route[] => {
  const keyOf = ({ org, params }: OrgPageContext): Promise<OwnKey> => ownKeys.get(org.orgId, params.keyId ?? '')
  return [
    {
      path: '/org/:orgId/keys/:keyId',
      access: 'member',
      get: async (context) => revokePage(await keyOf(context), context, root),
      async post(context) {
        const key = await keyOf(context)
        const typed = context.form.get('name') ?? ''
        if (!isSame(typed, key.name))
          return redirect(`${pathOf(context.org.orgId, 'keys')}/${key.id}`, {
            flash: refusedWith(
              { problems: { name: 'does not match' }, status: statusOf.invalid_request },
              { name: typed },
            ),
          })
        await ownKeys.revoke(key.id, operator, metadataOf(context))
        return redirect(pathOf(context.org.orgId, 'keys'), { notice: 'key-revoked' })
      },
    },
  ]
}

/** A field of one line drops line breaks, which a name may have. */
const isSame = (typed: string, name: string): boolean => typed.replaceAll(/\s+/g, '') === name.replaceAll(/\s+/g, '')

function revokePage(key: OwnKey, { org, flash }: OrgPageContext, root: string): Page {
  const { status, problems, typed } = refusedIn(flash)
  const list = root + pathOf(org.orgId, 'keys')
  return page({
    title: `Revoke ${key.name}`,
    section: 'keys',
    status,
    main: (
      <section class="card narrow">
        <h1>Revoke “{key.name}”</h1>
        <dl class="facts">
          <dt>Key</dt>
          <dd>
            <Marks of={key} />
          </dd>
          <dt>May</dt>
          <dd>{scopesOf(key.grant)}</dd>
          <dt>Made</dt>
          <dd>
            <Time at={key.createdAt} />
          </dd>
        </dl>
        <p>Requests with this key are refused immediately. Jobs that it started continue. This cannot be undone.</p>
        <form method="post" action={`${list}/${key.id}`}>
          <Field
            name="name"
            label="Name of the key"
            value={typed.get('name') ?? ''}
            hint={`Type “${key.name}” to confirm.`}
            problems={problems}
            required
            autocomplete="off"
          />
          <p class="row">
            <button class="bad" type="submit">
              Revoke this key
            </button>
            <a class="button" href={list}>
              Cancel
            </a>
          </p>
        </form>
      </section>
    ),
  })
}
