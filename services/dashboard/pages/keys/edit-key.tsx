/** @jsxRuntime automatic @jsxImportSource preact */
import type { OwnKey } from '#packages/accounts/keys/keys.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Facts, FormProblem, SendOrCancel } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Route, redirect } from '../../route.ts'
import { refusedIn, refusedWith, submitted } from '../submitted.ts'
import { changeOf, fieldsOf, fieldsOfKey } from './key-form.ts'
import { LimitFields, NameField } from './new-key-form.tsx'
import { Marks, scopesOf } from './words.tsx'

type Parts = Pick<DashboardParts, 'ownKeys' | 'clock'>

/** `/org/{orgId}/keys/{keyId}/edit`: changes the name, cap or expiry of a key. Its scopes cannot change. */
export const editKeyRoutes = ({ ownKeys, clock }: Parts, { root }: PageOptions): Route[] => {
  const keyOf = ({ org, params }: OrgPageContext): Promise<OwnKey> => ownKeys.get(org.orgId, params.keyId ?? '')
  return [
    {
      path: '/org/:orgId/keys/:keyId/edit',
      access: 'member',
      get: async (context) => editPage(await keyOf(context), context, { root, now: clock.now() }),
      async post(context) {
        const key = await keyOf(context)
        const keys = pathOf(context.org.orgId, 'keys')
        const fields = fieldsOf(context.form)
        const { refusal } = await submitted(async () =>
          ownKeys.change(key.id, changeOf(fields, key, clock.now()), metadataOf(context)),
        )
        if (!refusal) return redirect(keys, { notice: 'key-changed' })
        const { name, monthlyCredits, expiresAt } = fields
        return redirect(`${keys}/${key.id}/edit`, {
          flash: refusedWith(refusal, { name, monthlyCredits, expiresAt }),
        })
      },
    },
  ]
}

function editPage(key: OwnKey, { org, flash }: OrgPageContext, { root, now }: { root: string; now: number }): Page {
  const { status, problems, typed } = refusedIn(flash)
  const fields = flash.typed === undefined ? fieldsOfKey(key) : fieldsOf(typed)
  const list = root + pathOf(org.orgId, 'keys')
  // A day in the past may remain unchanged.
  const [today, day] = [isoOf(now).slice(0, 10), fieldsOfKey(key).expiresAt]
  const firstDay = day !== '' && day < today ? day : today
  return page({
    title: `Edit ${key.name}`,
    section: 'keys',
    status,
    main: (
      <section class="card narrow">
        <h1>Edit “{key.name}”</h1>
        <Facts
          facts={{
            Key: <Marks of={key} />,
            Permissions: `${scopesOf(key.grant)}. To change them, make another key.`,
          }}
        />
        <form method="post" action={`${list}/${key.id}/edit`}>
          <FormProblem problems={problems} />
          <NameField fields={fields} problems={problems} />
          <LimitFields fields={fields} problems={problems} firstDay={firstDay} />
          <SendOrCancel act="Save" back={list} />
        </form>
      </section>
    ),
  })
}
