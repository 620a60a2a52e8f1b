/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Invitation, Member } from '#packages/accounts/people/members.ts'
import type { Role } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { formRoutes } from '../form-routes.ts'
import { CopyBox, Field, FormProblem, Notice, type Problems, Select, Submit, Time } from '../look/parts.tsx'
import { Table } from '../look/table.tsx'
import type { PageOptions } from '../options.ts'
import type { DashboardParts } from '../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../route.ts'
import { refusedIn, refusedWith, submitted } from './submitted.ts'

type Parts = Pick<DashboardParts, 'members'>

const PATH = '/org/:orgId/members'

/** `/org/{orgId}/members`: members see who else is there; owners invite, promote and remove. */
export const membersRoutes = (parts: Parts, options: PageOptions): Route[] => {
  /** Performs an action and redirects to the list, which shows the error if it failed. */
  const act =
    (
      notice: 'member-removed' | 'invitation-withdrawn' | 'role-changed',
      work: (context: OrgPageContext) => Promise<void>,
    ) =>
    async (context: OrgPageContext): Promise<Redirect> => {
      const { refusal } = await submitted(() => work(context))
      return redirect(pathOf(context.org.orgId, 'members'), refusal ? { flash: { refusal } } : { notice })
    }
  const { members } = parts
  return [
    {
      path: PATH,
      access: 'member',
      get: (context) => membersPage(parts, options, context),
    },
    ...formRoutes(PATH, 'owner', {
      invite: (context) => invite(parts, context),
      withdraw: act('invitation-withdrawn', ({ visitor, org, form }) =>
        members.withdraw(visitor.account, org.orgId, form.get('invitation') ?? ''),
      ),
      role: act('role-changed', ({ visitor, org, form }) =>
        members.changeRole(visitor.account, org.orgId, form.get('member') ?? '', roleOf(form)),
      ),
      remove: act('member-removed', ({ visitor, org, form }) =>
        members.remove(visitor.account, org.orgId, form.get('member') ?? ''),
      ),
    }),
    ...formRoutes(PATH, 'member', {
      async leave({ visitor, org }) {
        const { refusal } = await submitted(() => members.remove(visitor.account, org.orgId, visitor.account.id))
        if (refusal) return redirect(pathOf(org.orgId, 'members'), { flash: { refusal } })
        return redirect('/organizations', { notice: 'left' })
      },
    }),
  ]
}

const roleOf = (form: URLSearchParams): Role => (form.get('role') === 'owner' ? 'owner' : 'member')

async function invite(parts: Parts, { visitor, org, form }: OrgPageContext): Promise<Redirect> {
  const list = pathOf(org.orgId, 'members')
  const typed = form.get('email')?.trim() ?? ''
  const wanted = { email: typed === '' ? undefined : typed, role: roleOf(form) }
  const { done, refusal } = await submitted(async () => {
    return { link: await parts.members.invite(visitor.account, org.orgId, wanted) }
  })
  if (refusal) return redirect(list, { flash: refusedWith(refusal, { email: typed, role: wanted.role }) })
  const { link } = done
  return redirect(list, link === undefined ? { notice: 'member-invited' } : { flash: { link } })
}

async function membersPage(
  { members }: Parts,
  { root, sendsMail }: PageOptions,
  { visitor, org, flash }: OrgPageContext,
): Promise<Page> {
  const { status, problems, typed } = refusedIn(flash)
  const { orgId, name, role } = org
  const isOwner = role === 'owner'
  const [all, invitations] = await Promise.all([
    members.of(orgId),
    isOwner ? members.invitations(visitor.account, orgId) : [],
  ])
  const action = root + pathOf(orgId, 'members')
  const owners = all.filter((member) => member.role === 'owner').length
  const changes = (member: Member): VNode => (
    <Changes
      action={action}
      member={member}
      isSelf={member.accountId === visitor.account.id}
      isLastOwner={member.role === 'owner' && owners === 1}
    />
  )
  return page({
    title: `Members of ${name}`,
    section: 'members',
    status,
    main: (
      <>
        <h1>Members</h1>
        <FormProblem problems={problems} />
        {flash.link !== undefined && <NewLink link={flash.link} />}
        <section class="card">
          <Table
            caption={isOwner ? 'Owners invite and remove members' : 'Only owners can invite and remove members'}
            rows={all}
            keyOf={({ accountId }) => accountId}
            columns={{
              'E-mail': ({ accountId, email }) => (
                <span class="breaks">
                  {email} {accountId === visitor.account.id && <span class="badge">you</span>}
                </span>
              ),
              Role: ({ role }) => role,
              Since: ({ since }) => <Time at={isoOf(since)} />,
              ...(isOwner && { Actions: changes }),
            }}
          />
        </section>
        {isOwner && <Invite action={action} sendsMail={sendsMail} typed={typed} problems={problems} />}
        {invitations.length > 0 && <Invitations action={action} invitations={invitations} />}
      </>
    ),
  })
}

const NewLink = ({ link }: { link: string }): VNode => (
  <Notice tone="good">
    <h2>Invitation link</h2>
    <p>Send this link to the person you invite. It is shown only once, works once and expires in seven days.</p>
    <CopyBox text={link} />
  </Notice>
)

type ChangesParts = { action: string; member: Member; isSelf: boolean; isLastOwner: boolean }

function Changes({ action, member: { accountId, email, role }, isSelf, isLastOwner }: ChangesParts): VNode {
  if (isLastOwner) return <span class="quiet">The last owner cannot be removed</span>
  const [other, text] = role === 'owner' ? ['member', 'Make member'] : ['owner', 'Make owner']
  return (
    <div class="row">
      <form method="post" action={`${action}/role`}>
        <input type="hidden" name="member" value={accountId} />
        <input type="hidden" name="role" value={other} />
        <button type="submit" aria-label={`${text}: ${email}`}>
          {text}
        </button>
      </form>
      {/* Members leave in the settings. */}
      {!isSelf && (
        <details class="ask">
          <summary class="button" aria-label={`Remove ${email}`}>
            Remove
          </summary>
          <form method="post" action={`${action}/remove`}>
            <input type="hidden" name="member" value={accountId} />
            <p class="small">They lose access immediately. Keys they created keep working.</p>
            <button class="bad" type="submit" aria-label={`Remove this member: ${email}`}>
              Remove this member
            </button>
          </form>
        </details>
      )}
    </div>
  )
}

const roles = [
  ['member', 'Member: can use everything'],
  ['owner', 'Owner: also manages members'],
] as const

type InviteParts = { action: string; sendsMail: boolean; typed: URLSearchParams; problems: Problems }

const Invite = ({ action, sendsMail, typed, problems }: InviteParts): VNode => (
  <section class="card">
    <h2>Invite a member</h2>
    <form class="narrow" method="post" action={`${action}/invite`}>
      {sendsMail && (
        <Field
          name="email"
          label="E-mail"
          type="email"
          value={typed.get('email') ?? ''}
          maxLength={254}
          autocomplete="off"
          hint="We mail the link there. Leave empty to get a link that you share yourself."
          problems={problems}
        />
      )}
      <Select name="role" label="Role" value={roleOf(typed)} options={roles} />
      <Submit>{sendsMail ? 'Invite' : 'Create invitation link'}</Submit>
    </form>
  </section>
)

const Invitations = ({ action, invitations }: { action: string; invitations: Invitation[] }): VNode => (
  <section class="card">
    <h2>Open invitations</h2>
    <Table
      caption="Each link works once, until it expires or is withdrawn"
      rows={invitations}
      keyOf={({ id }) => id}
      columns={{
        For: ({ email }) => <span class="breaks">{email ?? 'Anyone with the link'}</span>,
        Role: ({ role }) => role,
        Expires: ({ expiresAt }) => <Time at={isoOf(expiresAt)} />,
        Actions: ({ id, email }) => (
          <form method="post" action={`${action}/withdraw`}>
            <input type="hidden" name="invitation" value={id} />
            <button type="submit" aria-label={`Withdraw the invitation of ${email ?? 'anyone with the link'}`}>
              Withdraw
            </button>
          </form>
        ),
      }}
    />
  </section>
)
