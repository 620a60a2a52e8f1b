/** The fields of an OpenAPI operation that are read here. */
type Operation = { operationId: string; responses: Record<string, unknown> }

export type Document = { paths: Record<string, Record<string, Operation>> }

/** Bounds of one run. */
export type Bounds = {
  seed: number
  /** Generated requests for an operation in one phase, in addition to those that its schemas require. */
  maxExamples: number
  /** Calls that follow one another in one sequence. */
  maxSteps: number
}

/** Checks that are left out, with reasons. All others run. */
export const leftOut: Record<string, string> = {
  positive_data_acceptance: "a URL's rules are more than a schema: most strings that fit it are rightly refused",
  use_after_free: 'a job that was cancelled by DELETE is still there, and shows that it was',
}

/** Failures of servers behind the service. An operation may answer them only if it documents them. */
const passedOn = ['502', '503', '504']

/**
 * Allowed answers to invalid requests, if the operation documents them. In addition to the usual ones: too large to be
 * read.
 */
const refusals = ['400', '401', '403', '404', '405', '409', '413', '415', '429', '431']

/** Every operation of a document. `label`: its name in schemathesis, such as `GET /v1/me`. */
export const operationsOf = ({ paths }: Document): (Operation & { label: string })[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      label: `${method.toUpperCase()} ${path}`,
    })),
  )

/** All methods, because methods that a path does not declare are tried as well. */
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'QUERY']

/** Creators of the sandbox, and one that does not exist: a generated name is hardly ever a creator. */
const usernames = ['pageturners', '@kettle.songs', 'garden.almanac', 'lighthouse_keeper', 'nobody.at.all']

/** Values for URLs in half of the requests: a generated string is hardly ever a URL. */
function urlsOf(files: readonly string[]): string[] {
  const there = files.map((file) => `http://cdn.example.com/${file}`)
  const notThere = [
    'http://cdn.example.com/nothing.mp4',
    'https://nowhere.example.com/film.mp4',
    'http://127.0.0.1/film.mp4',
  ]
  return [...there, ...notThere, 'https://www.youtube.com/watch?v=nvlHourCh01']
}

/** Profiles, channels and lists of the sandbox, by the operations that take them as `url`. */
const listed: Readonly<Record<string, string>> = {
  getTikTokProfile: 'https://www.tiktok.com/@pageturners',
  getInstagramProfile: 'https://www.instagram.com/garden.almanac/',
  getYouTubeChannel: 'https://www.youtube.com/@longshelf',
  getYouTubePlaylist: 'https://www.youtube.com/playlist?list=PLlongShelfSandboxAllOfTheBooks001',
}

/** The dictionary of an operation with URLs that are not those of videos. */
const ownUrls = (operationId: string): string =>
  operationId in listed ? `parameters."query.url" = { dictionary = "${operationId}", probability = 0.9 }\n` : ''

/**
 * The configuration file of a run, as TOML. Strings and lists are written as in JSON.
 * @param key of the organization that makes the requests
 * @param files media that the world has at cdn.example.com
 */
export function configurationOf(
  document: Document,
  { key, hooks, files, bounds }: { key: string; hooks: string; files: readonly string[]; bounds: Bounds },
): string {
  const rules = operationsOf(document).map(({ operationId, responses }) => {
    const expected = ['2xx', '3xx', '4xx', ...passedOn.filter((status) => status in responses)]
    return `
[[operations]]
include-operation-id = ${JSON.stringify(operationId)}
checks.not_a_server_error.expected-statuses = ${JSON.stringify(expected)}
${ownUrls(operationId)}`
  })
  const dictionaries = Object.entries(listed).map(
    ([operationId, url]) => `dictionaries.${operationId}.values = ${JSON.stringify([url])}\n`,
  )
  const left = Object.keys(leftOut).map((name) => `checks.${name}.enabled = false\n`)
  return `seed = ${bounds.seed}
hooks = ${JSON.stringify(hooks)}
color = false
workers = 1
request-timeout = 70.0
continue-on-failure = true
generation.max-examples = ${bounds.maxExamples}
generation.database = "none"
phases.stateful.max-steps = ${bounds.maxSteps}
phases.coverage.unexpected-methods = ${JSON.stringify(methods)}
phases.examples.fill-missing = true
# Here the ids are made up; the other phases take those that the service has given.
phases.coverage.extra-data-sources.responses = false
auth.openapi.key.api_key = ${JSON.stringify(key)}
dictionaries.urls.values = ${JSON.stringify(urlsOf(files))}
parameters."query.url" = { dictionary = "urls", probability = 0.5 }
${dictionaries.join('')}dictionaries.usernames.values = ${JSON.stringify(usernames)}
parameters."query.username" = { dictionary = "usernames", probability = 0.7 }
parameters."body.url" = { dictionary = "urls", probability = 0.5 }
checks.negative_data_rejection.expected-statuses = ${JSON.stringify(refusals)}
${left.join('')}${rules.join('')}`
}
