/** @jsxRuntime automatic @jsxImportSource preact */
import { errorObjectOf } from '#packages/errors/error-object.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { errorOfFlash, flashedErrorOf } from '../../http/flashed-error.ts'
import { ONCE } from '../../once.ts'
import { type Flash, type OrgPageContext, page, pathOf, type Route, redirect } from '../../route.ts'
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
      const form = flash.typed === undefined ? beginningOf(operation, query) : refusedIn(flash).typed
      const answered = flash.mayRead
        ? await sendCall(parts, options, { operation, context, form })
        : flash.answered && answeredOf(flash.answered, context)
      return shownOf(parts, options, { operation, context, form, answered })
    },
    async post(context) {
      const operation = operationOf(context)
      const { form } = context
      const path = `${pathOf(context.org.orgId, 'try')}/${operation.name}`
      // What only reads is done by the page: its answer may be long. Loaded again, it has the form and asks nobody.
      if (operation.method === 'GET')
        return redirect(`${path}?${new URLSearchParams([...form].filter(([name]) => name !== ONCE))}`, {
          flash: { mayRead: true },
        })
      const { error, job, body, ...rest } = await sendCall(parts, options, { operation, context, form })
      const told = error ? { error: flashedErrorOf(error, context) } : { body }
      const answered = { ...rest, ...(job && { job }), ...told }
      return redirect(path, { flash: { answered, typed: [...form] } })
    },
  },
]

/** @throws ServiceError not_found */
function operationOf({ params }: OrgPageContext): Operation {
  const operation = operations.find(({ name }) => name === params.operation)
  if (operation === undefined) throw new ServiceError('not_found', 'There is no such page.')
  return operation
}

/** What a form begins with: what the address gives, else an example. */
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
}

function shownOf({ ids }: TryParts, options: TryOptions, { operation, context, form, answered }: Showing) {
  const { org, baseUrl } = context
  return page({
    title: operation.title,
    section: 'try',
    // A job that was accepted is not a page that was.
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
      />
    ),
  })
}
