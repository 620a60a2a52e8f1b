/** @jsxRuntime automatic @jsxImportSource preact */
import { plans } from '#packages/domain/credits/plans.ts'
import { periods } from '#packages/jobs/watches/every.ts'
import { watchChangesOf } from '#packages/jobs/watches/watch-request.ts'
import { formRoutes } from '../../form-routes.ts'
import { metadataOf } from '../../http/metadata.ts'
import type { Notice } from '../../notices.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { periodsFrom } from './watch-form.tsx'
import { WatchPage } from './watch-page.tsx'
import { sourceName } from './words.ts'

type Parts = Pick<DashboardParts, 'watches' | 'details'>

/** Videos on one page. */
const PAGE_SIZE = 20

const idIn = ({ params }: OrgPageContext): string => params.watchId ?? ''
const addressOf = ({ params, org }: OrgPageContext): string => `${pathOf(org.orgId, 'watches')}/${params.watchId}`

/** `/org/{orgId}/watches/{watchId}`: one watch, what it has found, and its actions. */
export function watchRoutes(parts: Parts, options: PageOptions): Route[] {
  const { watches, details } = parts
  const path = '/org/:orgId/watches/:watchId'

  /** Changes the watch and redirects to its page, which shows the error if it failed. */
  const change =
    (notice: Notice, changesIn: (form: URLSearchParams) => unknown) =>
    async (context: OrgPageContext): Promise<Redirect> => {
      const { refusal } = await submitted(async () => {
        const changes = watchChangesOf(changesIn(context.form))
        const plan = await details.planOf(context.org.orgId)
        return watches.change(idIn(context), changes, { plan, metadata: metadataOf(context) })
      })
      return redirect(addressOf(context), refusal ? { flash: { refusal, typed: [...context.form] } } : { notice })
    }

  return [
    {
      path,
      access: 'member',
      get: (context) => showWatch(parts, options, context),
      post: change('watch-changed', (form) => ({
        every: form.get('every'),
        ...(form.has('maxCreditsPerMonth') && { maxCreditsPerMonth: Number(form.get('maxCreditsPerMonth')) }),
      })),
    },
    ...formRoutes(path, 'member', {
      on: change('watch-on', () => ({ status: 'on' })),
      pause: change('watch-paused', () => ({ status: 'paused' })),
      async delete(context) {
        await watches.remove(idIn(context), metadataOf(context))
        return redirect(pathOf(context.org.orgId, 'watches'), { notice: 'watch-deleted' })
      },
    }),
  ]
}

async function showWatch({ watches, details }: Parts, { root }: PageOptions, context: OrgPageContext): Promise<Page> {
  const { orgId } = context.org
  const { status, problems } = refusedIn(context.flash)
  const watch = await watches.get(orgId, idIn(context))
  // Newest first: a page ends before the number in the query.
  const before = Number(context.query.get('before')) || watch.found + 1
  const after = Math.max(0, before - 1 - PAGE_SIZE)
  const { found } = await watches.found(orgId, idIn(context), { after, limit: Math.max(1, before - 1 - after) })
  return page({
    title: sourceName(watch.source),
    section: 'watches',
    status,
    main: (
      <WatchPage
        watch={watch}
        found={found.reverse()}
        base={root + addressOf(context)}
        jobs={root + pathOf(orgId, 'jobs')}
        problems={problems}
        plan={periodsFrom(plans[await details.planOf(orgId)].watchEverySeconds, periods)}
      />
    ),
  })
}
