/** Checks ops/compose.yaml and ops/Dockerfile as far as possible without building or starting anything. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { imageOf } from '#ops/container-images/image.ts'
import { readConfig, variables } from '#packages/foundation/config/config.ts'
import { fileVariable } from '#packages/foundation/config/given-text.ts'
import { missingEngines } from '#services/host/missing-engines.ts'
import { partsOf, processes, processName } from '#services/host/processes.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { composeProblems } from './compose.harness.ts'
import { argumentsOf, instructions, sent, variablesOfImage } from './image.harness.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

type ComposeService = {
  image: string
  build?: object
  entrypoint?: string[]
  command?: string[]
  environment?: Record<string, string | number>
  networks: string[]
  ports?: string[]
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
  deploy: { resources: { limits: { cpus: string; memory: string; pids: number } } }
  [more: string]: unknown
}

type Compose = {
  name?: string
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, object>
}

const compose = parse(read('ops/compose.yaml'), { merge: true }) as Compose
const all = Object.entries(compose.services)
const ours = all.filter(([, { build }]) => build !== undefined)
/** The services that run until they are stopped. Operators' commands have their own entrypoint. */
const services = ours.filter(([, { entrypoint }]) => entrypoint === undefined)

const namesOf = (entries: readonly (readonly [string, unknown])[]): string[] => entries.map(([name]) => name).sort()
const which = (wanted: (service: ComposeService) => boolean): string[] =>
  namesOf(all.filter(([, service]) => wanted(service)))

const secrets = Object.values(variables).flatMap(({ variable, isSecret }) => (isSecret ? [variable as string] : []))

/** The variable of a service, set directly or as the file of a secret. */
const givenBy = (name: string): string => secrets.find((variable) => fileVariable(variable) === name) ?? name

const samples: Readonly<Record<string, string>> = {
  EVENT_STORE_URL: 'esdb://video:of-a-file@eventstoredb:2113',
  MONGODB_URL: 'mongodb://video:of-a-file@mongo/video',
}

/** A service's environment with an empty ops/.env, and placeholders for the contents of files. */
const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([variable, value]) => [
      givenBy(variable),
      givenBy(variable) === variable
        ? `${value}`.replace(/^\$\{\w+:-(.*)\}$/, '$1')
        : (samples[givenBy(variable)] ?? 'of a file'),
    ]),
  )

describe('ops/compose.yaml', () => {
  it('fits the schema of compose files', () => {
    // Without a name, everything would be named after the folder.
    expect(compose.name).to.be.a('string')
    expect(composeProblems(compose)).to.deep.equal([])
    expect(composeProblems({ services: { one: { imagee: 'x' } } } as never), 'a misspelt key').to.not.deep.equal([])
  })

  it('is accepted by docker compose, if installed', function () {
    try {
      execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' })
    } catch {
      return this.skip() // Mocha reports it as skipped; the test of the schema runs everywhere.
    }
    execFileSync('docker', ['compose', '--file', 'ops/compose.yaml', 'config', '--quiet'])
  })

  it('starts the same processes as npm run start:distributed', () => {
    const started = services.map(([name, { command = [] }]) => [name, partsOf(command.join(' '))])
    expect(started.sort()).to.deep.equal(processes.map((parts) => [processName(parts), parts]).sort())
  })

  it('confines every container, and limits its resources', () => {
    expect(which(({ cap_drop }) => JSON.stringify(cap_drop) !== '["ALL"]')).to.deep.equal([])
    expect(which(({ security_opt }) => JSON.stringify(security_opt) !== '["no-new-privileges:true"]')).to.deep.equal([])
    expect(
      which(({ privileged, cap_add, network_mode, pid }) => !!(privileged || cap_add || network_mode || pid)),
    ).to.deep.equal([])
    const isBounded = ({ cpus, memory, pids }: ComposeService['deploy']['resources']['limits']): boolean =>
      Boolean(cpus && memory && pids)
    expect(which(({ deploy }) => !isBounded(deploy.resources.limits))).to.deep.equal([])
    // Some releases of docker compose refuse a file that also limits processes in the old place.
    expect(which((service) => 'pids_limit' in service)).to.deep.equal([])
    expect(namesOf(ours.filter(([, { read_only }]) => read_only !== true))).to.deep.equal([])
  })

  it('restarts every service, checks its health, and gives it time to stop', () => {
    expect(namesOf(services.filter(([, { restart }]) => restart !== 'unless-stopped'))).to.deep.equal([])
    // The health check of the image.
    expect(namesOf(services.filter(([, { healthcheck }]) => healthcheck !== undefined))).to.deep.equal([])
    expect(namesOf(services.filter(([, { stop_grace_period }]) => stop_grace_period !== '20s'))).to.deep.equal([])
  })

  it('waits for the engines, and keeps their data', () => {
    const missing = all.flatMap(([name, { depends_on }]) =>
      Object.keys(depends_on ?? {})
        .filter((other) => !(other in compose.services))
        .map((other) => `${name}: ${other}`),
    )
    expect(missing).to.deep.equal([])
    const named = all.flatMap(([, { volumes }]) => (volumes ?? []).map((one) => one.split(':')[0] ?? ''))
    const kept = named.filter((name) => /^[a-z]/.test(name))
    expect(kept.filter((name) => !(name in compose.volumes))).to.deep.equal([])
    for (const engine of ['eventstoredb', 'kafka-1', 'kafka-2', 'kafka-3', 'mongo'])
      expect(compose.services[engine]?.volumes, engine).to.have.length.above(0)
  })

  it('pins every image', () => {
    const images = all.filter(([, { build }]) => build === undefined).map(([, { image }]) => image)
    expect(images.filter((image) => !/:v?\d+\.\d+\.\d+/.test(image))).to.deep.equal([])
    const tagOf = (name: string): string => imageOf(compose.services[name]?.image ?? '').tag
    const requirements = read('ops/python/requirements.in')
    const [, plugin] = /^bgutil-ytdlp-pot-provider==(.+)$/m.exec(requirements) ?? []
    expect(tagOf('pot')).to.equal(plugin)
    const [, kafka] =
      /<artifactId>kafka_2\.13<\/artifactId>\s*<version>(.+?)</.exec(read('ops/local-engines/kafka/pom.xml')) ?? []
    expect(tagOf('kafka-1'), 'the version that tests run on').to.equal(kafka)
  })
})

describe('ops/compose.yaml: the networks', () => {
  const outside = [
    'batches',
    'extract',
    'fetch-caption',
    'grafana',
    'ingress',
    'pot',
    'searxng',
    'speech-to-text',
    'watches',
    'webhooks',
    'yt-dlp',
  ]

  it('lets only services with work outside reach it, and publishes only the ingress and Grafana', () => {
    const ways = Object.keys(compose.networks).filter((name) => compose.networks[name]?.internal !== true)
    expect(which(({ networks }) => networks.some((name) => ways.includes(name)))).to.deep.equal(outside)
    expect(which(({ networks }) => networks.some((name) => !(name in compose.networks)))).to.deep.equal([])
    expect(which(({ ports }) => ports !== undefined)).to.deep.equal(['grafana', 'ingress'])
    expect(compose.services.grafana?.ports, 'only this machine').to.deep.equal(['127.0.0.1:3000:3000'])
    expect(compose.services.ingress?.ports?.[0], 'only this machine, unless told otherwise').to.match(
      /^\$\{PUBLISH:-127\.0\.0\.1:/,
    )
  })

  it('connects services that read strangers’ data only to the event store, the brokers, the collector and yt-dlp’s helper', () => {
    for (const reader of ['fetch-caption', 'speech-to-text', 'extract']) {
      const its = compose.services[reader]?.networks ?? []
      const met = which(({ networks }) => networks.some((name) => its.includes(name)))
      expect(met, reader).to.deep.equal(
        ['collector', 'eventstoredb', 'kafka-1', 'kafka-2', 'kafka-3', 'pot', reader].sort(),
      )
    }
    expect(which(({ networks }) => networks.includes('views'))).to.deep.equal(
      [
        'batches',
        'ingress',
        'mongo',
        'mongo-set',
        'operator',
        'orchestrator',
        'projections',
        'retention',
        'watches',
        'webhooks',
      ].sort(),
    )
  })

  it('lets only one container write the shared yt-dlp, and no container waits for it', () => {
    const mounts = (mode: RegExp) => which(({ volumes = [] }) => volumes.some((one) => mode.test(one)))
    expect(mounts(/^yt-dlp:\/app\/\.venv\/ytdlp$/)).to.deep.equal(['yt-dlp'])
    expect(mounts(/^yt-dlp:\/app\/\.venv\/ytdlp:ro$/)).to.deep.equal(
      which(({ environment }) => 'PLATFORM_COOKIES_DIR' in (environment ?? {})),
    )
    expect(which(({ depends_on }) => 'yt-dlp' in (depends_on ?? {}))).to.deep.equal([])
    expect(which(({ environment }) => 'YTDLP_CHANNEL' in (environment ?? {}))).to.deep.equal(['yt-dlp'])
  })

  it('has no engine that serves clients without a password', () => {
    const urls = all.flatMap(([, { environment: { EVENT_STORE_URL, MONGODB_URL } = {} }]) => [
      EVENT_STORE_URL,
      MONGODB_URL,
    ])
    const known = urls.flatMap((url) => (url === undefined ? [] : [`${url}`]))
    const open = known.filter((url) => !/^\w+:\/\/\w+:\$\{\w+_PASSWORD:\?/.test(url) || url.includes('tls=false'))
    expect(known, 'of the account of the services').to.have.length(1)
    expect(open).to.deep.equal([])
    const made = [...read('ops/make-secrets').matchAll(/'(\w+:\/\/[^']+)'/g)].map(([, url]) => url ?? '')
    expect(made).to.have.length(2)
    expect(made.filter((url) => !/^\w+:\/\/video:%s@/.test(url) || url.includes('tls=false'))).to.deep.equal([])
    const { environment = {} } = compose.services.eventstoredb ?? {}
    expect(environment).to.not.have.any.keys('EVENTSTORE_INSECURE', 'EVENTSTORE_DEV', 'EVENTSTORE_MEM_DB')
    const protocols = compose.services['kafka-1']?.environment?.KAFKA_LISTENER_SECURITY_PROTOCOL_MAP
    expect(protocols).to.equal('CLIENTS:SASL_SSL,CONTROLLER:SSL,BROKERS:SSL')
    expect(compose.services.mongo?.command).to.include.members(['--keyFile'])
    // No file has a default password, because everyone would know it.
    const passwords = [...read('ops/compose.yaml').matchAll(/\$\{(\w+_PASSWORD)([^}]*)\}/g)]
    expect(passwords.length).to.be.greaterThan(5)
    expect(passwords.filter(([, , otherwise]) => otherwise !== ':?run ops/compose')).to.deep.equal([])
  })

  it('gives each service the engines that it needs', () => {
    for (const [name, { command = [] }] of services) {
      const missing = missingEngines(readConfig(environmentOf(name)), partsOf(command.join(' ')) ?? [])
      expect(missing, name).to.deep.equal([])
    }
    const withQueue = which(({ environment }) => 'KAFKA_BROKERS' in (environment ?? {}))
    expect(withQueue).to.deep.equal([
      'batches',
      'extract',
      'fetch-caption',
      'operator',
      'orchestrator',
      'projections',
      'speech-to-text',
      'watches',
      'webhooks',
    ])
  })

  it('gives a secret only to the service that uses it', () => {
    const holders = (variable: string): string[] => which(({ environment }) => variable in (environment ?? {}))
    const files = (service: ComposeService): string[] =>
      Object.values(service.environment ?? {}).flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(`${value}`)?.[1] ?? [])
    for (const [name, service] of ours)
      expect(new Set(files(service)), name).to.deep.equal(
        // The event store's URL says how to find the engines' authority.
        new Set([
          ...(service.secrets as string[]).filter((secret) => secret !== 'ca'),
          ...files(service).filter((file) => file === 'ca'),
        ]),
      )
    expect(holders('BRAVE_API_KEY')).to.deep.equal(['batches', 'ingress', 'watches'])
    expect(holders('SECRETS_KEY_FILE')).to.deep.equal(['batches', 'ingress', 'webhooks'])
    expect(holders('SPEECH_API_KEY')).to.deep.equal(['speech-to-text'])
    expect(holders('LLM_API_KEY')).to.deep.equal(['extract'])
    const proxied = holders('EGRESS_PROXY')
    expect(proxied).to.have.length.above(0)
    expect(outside).to.include.members(proxied)
  })

  it('gives whoever queries the history the archive, and twice DuckDB’s memory', () => {
    const holders = which(({ volumes = [] }) => volumes.some((one) => one.endsWith(':/archive')))
    expect(holders).to.deep.equal(['operator', 'retention'])
    for (const name of holders) {
      expect(compose.services[name]?.environment).to.include({ EXPORT_DIR: '/archive' })
      expect(compose.services[name]?.deploy.resources.limits.memory).to.match(/^\dg$/)
    }
  })

  it('can set every variable of the configuration, and sets no other', () => {
    const known = Object.values(variables).map(({ variable }) => variable as string)
    const set = new Set(ours.flatMap(([, { environment }]) => Object.keys(environment ?? {})))
    // Variables of Node, and of an operator's command.
    const ofOthers = (name: string): boolean => /^(NODE_EXTRA_CA_CERTS|EVENT_STORE_ACCOUNT)$/.test(name)
    expect([...set].filter((name) => !known.includes(givenBy(name)) && !ofOthers(name))).to.deep.equal([])
    // The image sets the address and the data directory. A CA file or an archive's folder would have to be mounted
    // first.
    const elsewhere = ['HOST', 'DATA_DIR', 'EGRESS_CA_FILE', 'EXPORT_DIR']
    const given = new Set([...set].map(givenBy))
    expect(known.filter((name) => !given.has(name) && !elsewhere.includes(name))).to.deep.equal([])
  })
})

describe('ops/Dockerfile', () => {
  const manifest = JSON.parse(read('package.json')) as {
    scripts: Record<string, string>
    devDependencies: Record<string, string>
  }
  const copied = argumentsOf('COPY').filter((words) => !words.startsWith('--from='))
  const sources = copied.flatMap((words) => words.split(' ').slice(0, -1))

  it('copies existing files, exactly those that .dockerignore lets through', () => {
    expect(sources).to.have.length.above(5)
    expect(sources.filter((path) => globSync(path).length === 0)).to.deep.equal([])
    expect(sources.filter((path) => !sent.includes(`!${path}`))).to.deep.equal([])
    expect(sent.filter((line) => line.startsWith('!') && !sources.includes(line.slice(1)))).to.deep.equal([])
  })

  it('has the versions of package.json', () => {
    const [base = ''] = argumentsOf('FROM')
    expect(base.replace(/@sha256:\w+/, '')).to.equal(`node:${manifest.devDependencies.node}-bookworm-slim AS machine`)
  })

  it('starts the whole service like npm start, not as root, by a first process that passes signals on', () => {
    expect(JSON.parse(argumentsOf('ENTRYPOINT')[0] ?? '')).to.deep.equal([
      'tini',
      '--',
      'node',
      ...scriptArguments('start'),
    ])
    expect(argumentsOf('CMD'), 'arguments of its own').to.deep.equal([])
    expect(argumentsOf('USER')).to.deep.equal(['1000:1000'])
    expect(argumentsOf('STOPSIGNAL')).to.deep.equal(['SIGTERM'])
  })

  it('serves all interfaces at the port that it exposes, with its data in a folder of its user', () => {
    expect(variablesOfImage()).to.include({ HOST: '0.0.0.0', DATA_DIR: '/data' })
    expect(argumentsOf('EXPOSE')).to.deep.equal([`${readConfig({}).port}`])
    const made = argumentsOf('RUN').filter((words) => words.startsWith('install --directory'))
    expect(made.join()).to.match(/--owner=1000 --group=1000 --mode=0700 \/data\b/)
  })

  it('has no development files in the last stage', () => {
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
    expect(argumentsOf('RUN').filter((words) => words.startsWith('npm ci'))).to.have.length(1)
    expect(argumentsOf('RUN').find((words) => words.startsWith('npm ci'))).to.contain('--omit=dev')
    expect(last.filter((line) => /\bnpm |\bpip\b|apt-get/.test(line))).to.deep.equal([])
    const development =
      /^(test|ops\/(?!runtime|accounts|analysts|dead-letters|event-store-account|history|organizations|platforms|projections|sandbox|python\/requirements\.txt|speech|ytdlp))/
    expect(sources.filter((path) => development.test(path))).to.deep.equal([])
  })
})
