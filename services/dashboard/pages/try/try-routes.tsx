/** @jsxRuntime automatic @jsxImportSource preact */
import { ServiceError } from '#packages/errors/service-error.ts'
import { type OrgPageContext, page, type Route } from '../../route.ts'
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
    get(context) {
      const operation = operationOf(context)
      return shownOf(parts, options, { operation, context, form: beginningOf(operation, context.query) })
    },
    async post(context) {
      const operation = operationOf(context)
      const answered = await sendCall(parts, options, { operation, context })
      return shownOf(parts, options, { operation, context, form: context.form, answered })
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

type Showing = { operation: Operation; context: OrgPageContext; form: URLSearchParams; answered?: Answered }

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
