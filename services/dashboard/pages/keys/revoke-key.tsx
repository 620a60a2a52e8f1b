/** @jsxRuntime automatic @jsxImportSource preact */

import type { OwnKey } from '#packages/accounts/keys/keys.ts'
import { operator } from '#packages/domain/key/key.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Facts, SendOrCancel, Time } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Route, redirect } from '../../route.ts'
import { Marks, scopesOf } from './words.tsx'

type Parts = Pick<DashboardParts, 'ownKeys'>

/** `/org/{orgId}/keys/{keyId}`: one key, with the button that revokes it. */
export const revokeKeyRoutes = ({ ownKeys }: Parts, { root }: PageOptions): Route[] => {
  const keyOf = ({ org, params }: OrgPageContext): Promise<OwnKey> => ownKeys.get(org.orgId, params.keyId ?? '')
  return [
    {
      path: '/org/:orgId/keys/:keyId',
      access: 'member',
      get: async (context) => revokePage(await keyOf(context), context, root),
      async post(context) {
        const key = await keyOf(context)
        await ownKeys.revoke(key.id, operator, metadataOf(context))
        return redirect(pathOf(context.org.orgId, 'keys'), { notice: 'key-revoked' })
      },
    },
  ]
}

function revokePage(key: OwnKey, { org }: OrgPageContext, root: string): Page {
  const list = root + pathOf(org.orgId, 'keys')
  return page({
    title: `Revoke ${key.name}`,
    section: 'keys',
    main: (
      <section class="card narrow">
        <h1>Revoke “{key.name}”</h1>
        <Facts
          facts={{
            Key: <Marks of={key} />,
            Permissions: scopesOf(key.grant),
            Created: <Time at={key.createdAt} />,
          }}
        />
        <p>Requests with this key are refused immediately. Jobs that it started continue. This cannot be undone.</p>
        <form method="post" action={`${list}/${key.id}`}>
          <SendOrCancel act="Revoke this key" tone="bad" back={list} />
        </form>
      </section>
    ),
  })
}
