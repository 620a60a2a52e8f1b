/** @jsxRuntime automatic @jsxImportSource preact */
import { mostItemsOf } from '#packages/domain/credits/plans.ts'
import { operator } from '#packages/domain/key/key.ts'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import type { LineProblem } from '#packages/jobs/batches/body/parse-body.ts'
import { webhookNamedIn } from '#packages/jobs/webhooks/named-webhook.ts'
import { metadataOf } from '../../http/metadata.ts'
import { FormProblem, Notice, type Problems, Submit } from '../../look/parts.tsx'
import { ONCE, onceIn } from '../../once.ts'
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
import { refusedIn, submitted } from '../submitted.ts'
import { type AskedForm, type AskingParts, askedIn, urlsIn, wrongLinesOf } from './asked-batch.ts'
import { BatchFields, fieldNames, WrongLines } from './batch-form.tsx'
import { CostView, type Offer } from './cost-view.tsx'

type Parts = AskingParts & Pick<DashboardParts, 'batches' | 'webhooks' | 'details' | 'rates' | 'ids'>
type Options = Pick<PageOptions, 'root' | 'extracts' | 'speech' | 'batchMaxItems'>

/** What the page shows beside the form. `hash`: identifies the form that the offer is for. */
type Shown = {
  status?: number
  problems?: Problems
  wrongLines?: readonly LineProblem[]
  offer?: Offer & { hash: string }
  hasChanged?: boolean
}

/** `/org/{orgId}/batches/new`: the form for a batch. It shows the cost, then begins the batch. */
export const newBatchRoutes = (parts: Parts, options: Options): Route[] => [
  {
    path: '/org/:orgId/batches/new',
    access: 'member',
    isLong: true,
    get: (context) => afterForm(parts, options, context),
    post: (context) => take(parts, options, context),
  },
]

/** Begins the batch if its cost was shown already. Otherwise shows the cost. */
async function take(parts: Parts, options: Options, context: OrgPageContext): Promise<Page | Redirect> {
  const { form, org, isInPlace } = context
  const { done: batchId, refusal } = await submitted(() => beginIfShown(parts, options, context))
  const batches = pathOf(org.orgId, 'batches')
  if (batchId !== undefined) return redirect(`${batches}/${batchId}`, { notice: 'batch-begun' })
  if (isInPlace) return answerTo(parts, options, context, refusal)
  return redirect(`${batches}/new`, { flash: { typed: [...form], ...(refusal && { refusal }) } })
}

/** @returns the id of the batch; undefined if the cost of this form was not shown yet */
async function beginIfShown(parts: Parts, options: Options, context: OrgPageContext): Promise<string | undefined> {
  if (context.form.get('act') !== 'begin') return undefined
  const asked = await askedIn(parts, options, context)
  return context.form.get('shown') === asked.hash ? begin(parts, context, asked) : undefined
}

/** The page that a form without a script leads to. A cookie hands the form over, so it may not be long. */
function afterForm(parts: Parts, options: Options, context: OrgPageContext): Promise<Page> {
  const { typed, isCut, refusal } = context.flash
  if (isCut) return formPage(parts, options, context, { status: 413, problems: { urls: TOO_LONG } })
  if (typed === undefined) return formPage(parts, options, context, {})
  return answerTo(parts, options, { ...context, form: refusedIn(context.flash).typed }, refusal)
}

/** About 130 URLs fit into the cookie. */
const TOO_LONG =
  'are too many for a browser without JavaScript: send at most 100 at once, turn JavaScript on, or use the API.'

/** What the sent form costs, or why it was refused. */
async function answerTo(
  parts: Parts,
  options: Options,
  context: OrgPageContext,
  refused: Flash['refusal'],
): Promise<Page> {
  const {
    done: offer,
    refusal = refused,
    error,
  } = await submitted(async () => {
    const { asked, hash } = await askedIn(parts, options, context)
    const { available } = await parts.details.credits(context.org.orgId)
    return { asked, hash, available }
  })
  if (refusal)
    return formPage(parts, options, context, {
      status: refusal.status,
      problems: problemsIn(refusal.problems),
      wrongLines: error === undefined ? [] : wrongLinesOf(error),
    })
  return formPage(parts, options, context, {
    ...(offer && { offer }),
    hasChanged: context.form.get('act') === 'begin',
  })
}

/** A form that is sent twice begins one batch. @returns its id */
async function begin(parts: Parts, context: OrgPageContext, { asked, shared }: AskedForm): Promise<string> {
  const { batches, rates } = parts
  const { form, org } = context
  await rates.ofPages('heavy', org.orgId)
  const once = onceIn(form)
  const metadata = metadataOf(context)
  const application = {
    ...asked,
    keyId: null,
    monthlyCredits: null,
    surface: 'dashboard',
    idempotencyKey: once && `dashboard-${once}`,
    webhook: webhookNamedIn(shared, parts, { by: operator, metadata }),
    metadata,
  } as const
  try {
    return (await batches.create(application)).batchId
  } catch (error) {
    if (isShortOfCredits(error)) await rates.giveHeavyBackTo(org.orgId)
    throw error
  }
}

/** Problems under the form's field names, without invalid lines, which are shown separately. */
function problemsIn(problems: Problems): Problems {
  const named = Object.entries(problems).filter(([path]) => !/^requests\./.test(path))
  return Object.fromEntries(named.map(([path, message]) => [fieldOf(path), message]))
}

const fieldOf = (path: string): string => {
  if (path === 'requests' || path === 'body') return 'urls'
  return path.startsWith('source.') ? 'source' : path.replace('options.', '')
}

async function formPage(
  { details, ids }: Parts,
  options: Options,
  { org, form }: OrgPageContext,
  { status = 200, problems = {}, wrongLines = [], offer, hasChanged = false }: Shown,
): Promise<Page> {
  const { orgId } = org
  const list = options.root + pathOf(orgId, 'batches')
  const mostItems = mostItemsOf(await details.planOf(orgId), options.batchMaxItems)
  const fields = <BatchFields typed={form} problems={problems} options={options} mostItems={mostItems} />
  return page({
    title: offer === undefined ? 'New batch' : 'Start a batch',
    section: 'batches',
    status,
    main: (
      <>
        <a class="back" href={list}>
          All batches
        </a>
        <h1>{offer === undefined ? 'New batch' : 'Start this batch?'}</h1>
        {wrongLines.length > 0 && <WrongLines lines={wrongLines} urls={urlsIn(form)} form="batch-form" />}
        <FormProblem problems={ofNoField(problems)} />
        {hasChanged && (
          <Notice tone="warn">
            <p>Something changed: check the new cost.</p>
          </Notice>
        )}
        <form id="batch-form" class="narrow" method="post" action={`${list}/new`} data-island="inPlace">
          <input type="hidden" name={ONCE} value={ids.uuid()} />
          {offer === undefined ? (
            <section class="card">
              {fields}
              <Submit>Show the cost</Submit>
            </section>
          ) : (
            <>
              <input type="hidden" name="shown" value={offer.hash} />
              <CostView {...offer} base={`${options.root}/org/${orgId}`} />
              <details class="fold">
                <summary>Edit</summary>
                {fields}
                <Submit>Show the cost</Submit>
              </details>
            </>
          )}
        </form>
      </>
    ),
  })
}

/** The problems that no field of the form shows. */
function ofNoField(problems: Problems): Problems | undefined {
  const others = Object.entries(problems).filter(([name]) => !fieldNames.has(name))
  if (others.length === 0) return undefined
  return { '': others.map(([name, message]) => `${name} ${message}`.trim()).join(' ') }
}
