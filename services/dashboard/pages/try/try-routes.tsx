/** @jsxRuntime automatic @jsxImportSource preact */

import { placeOf } from '#packages/content/results/transcript-page.ts'
import { errorObjectOf } from '#packages/foundation/errors/error-object.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { errorOfFlash, flashedErrorOf } from '../../http/flashed-error.ts'
import { orMissing } from '../../look/missing.tsx'
import { ONCE } from '../../once.ts'
import { type Flash, type OrgPageContext, page, pathOf, type Route, redirect } from '../../route.ts'
import { type ReadJob, readJob } from '../jobs/read-job.ts'
import { refusedIn } from '../submitted.ts'
import { type Operation, operations } from './operations.ts'
import { type Answered, sendCall, type TryOptions, type TryParts } from './send-call.ts'
import { TryIndex, TryPage } from './try-page.tsx'

/** Every operation of `/v1` as a form. */
export const tryRoutes = (parts: TryParts, options: TryOptions): Route[] => [
  {
    path: '/org/:orgId/try',
    access: 'member',
    get: ({ org: { orgId } }) =>
      page({ title: 'Try it', section: 'try', main: <TryIndex root={options.root} orgId={orgId} /> }),
  },
  {
    path: '/org/:orgId/try/:operation',
    access: 'member',
    async get(context) {
      const operation = operationOf(context)
      const { flash, query } = context
      const job = await jobAskedFor(parts, context)
      const begun = job?.request ? formOf(job.request) : beginningOf(operation, query)
      const form = flash.typed === undefined ? begun : refusedIn(flash).typed
      const answered = flash.mayRead
        ? await sendCall(parts, options, { operation, context, form })
        : flash.answered && answeredOf(flash.answered, context)
      return shownOf(parts, options, { operation, context, form, answered, job })
    },
    async post(context) {
      const operation = operationOf(context)
      const { form } = context
      const path = `${pathOf(context.org.orgId, 'try')}/${operation.name}`
      // The next page sends a call that only reads, because its answer may be too long for a flash. A reload of that
      // page shows only the form, and sends nothing.
      if (operation.method === 'GET')
        return redirect(`${path}?${new URLSearchParams([...form].filter(([name]) => name !== ONCE))}`, {
          flash: { mayRead: true },
        })
      const { error, job, body, ...rest } = await sendCall(parts, options, { operation, context, form })
      const outcome = error ? { error: flashedErrorOf(error, context) } : { body }
      const answered = { ...rest, ...(job && { job }), ...outcome }
      // The address names the job, so a reload still shows it.
      return redirect(job ? `${path}?job=${job.jobId}` : path, { flash: { answered, typed: [...form] } })
    },
  },
]

/** The job that the page made, if it still exists. */
async function jobAskedFor(parts: TryParts, { org, query, signal }: OrgPageContext): Promise<ReadJob | undefined> {
  const jobId = query.get('job')
  if (jobId === null) return undefined
  try {
    const read = await orMissing(() => readJob(parts, { jobId, orgId: org.orgId }, { place: placeOf(query), signal }))
    return read.missing ? undefined : read.value
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

/** The fields that requested a job. */
function formOf({ url, mode, lang, prompt, schema }: NonNullable<ReadJob['request']>): URLSearchParams {
  const asked = { url, mode, lang, prompt, schema: schema && JSON.stringify(schema, null, 2) }
  return new URLSearchParams(Object.entries(asked).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

/** @throws ServiceError not_found */
function operationOf({ params }: OrgPageContext): Operation {
  const operation = operations.find(({ name }) => name === params.operation)
  if (operation === undefined) throw new ServiceError('not_found', 'There is no such page.')
  return operation
}

/** The initial values of a form: those in the address, or else an example. */
const beginningOf = ({ fields }: Operation, query: URLSearchParams): URLSearchParams => {
  const given = fields.flatMap(({ name }) => query.getAll(name).map((value) => [name, value]))
  const examples = fields.filter(({ name, example }) => example !== '' && !query.has(name))
  return new URLSearchParams([...given, ...examples.map(({ name, example }) => [name, example])])
}

function answeredOf(
  { error: flashed, body, ...rest }: NonNullable<Flash['answered']>,
  { baseUrl }: OrgPageContext,
): Answered {
  if (flashed === undefined) return { ...rest, body }
  const error = errorOfFlash(flashed)
  return { ...rest, body: errorObjectOf(error, baseUrl), error }
}

type Showing = {
  operation: Operation
  context: OrgPageContext
  form: URLSearchParams
  answered: Answered | undefined
  job: ReadJob | undefined
}

function shownOf({ ids }: TryParts, options: TryOptions, { operation, context, form, answered, job }: Showing) {
  const { org, baseUrl } = context
  return page({
    title: operation.title,
    section: 'try',
    // A job's 202 is not the status of this page.
    status: answered === undefined || answered.status < 300 ? 200 : answered.status,
    main: (
      <TryPage
        operation={operation}
        orgId={org.orgId}
        options={options}
        baseUrl={baseUrl}
        form={form}
        once={ids.uuid()}
        answered={answered}
        job={job}
        place={placeOf(context.query)}
      />
    ),
  })
}
