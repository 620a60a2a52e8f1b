/** Installed packages are the reviewed ones: exact versions, and a hash of each file. */
import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const read = (path: string): string => readFileSync(path, 'utf8')

type Locked = { version?: string; resolved?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }
type Lock = { packages: Record<string, Locked> }
/** The project's lockfile, and that of the client generators. */
const locks = ['package-lock.json', 'test/clients/generators/package-lock.json']
type Manifest = { dependencies: Record<string, string>; devDependencies?: Record<string, string> }
const manifest = JSON.parse(read('package.json')) as Manifest & { allowScripts: Record<string, boolean> }
const generators = JSON.parse(read('test/clients/generators/package.json')) as Manifest

/** Lines that name a package and its version, without what follows. */
const pinsOf = (path: string): string[] =>
  read(path)
    .split('\n')
    .filter((line) => /^[A-Za-z]/.test(line))
    .map((line) => line.replace(/ *\\$/, '').toLowerCase().replaceAll('_', '-'))

describe('tidy: what is installed', () => {
  const installed = locks.flatMap((path) => Object.entries((JSON.parse(read(path)) as Lock).packages))
  const packages = installed.filter(([path]) => path !== '')

  it('has exact versions in package.json', () => {
    const wanted = [manifest, generators].flatMap(({ dependencies, devDependencies = {} }) =>
      Object.entries({ ...dependencies, ...devDependencies }),
    )
    expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(-r\.\d+)?$/.test(version))).to.deep.equal([])
  })

  it('comes from the npm registry, each package with a SHA-512 of its file', () => {
    expect(packages.length).to.be.greaterThan(100)
    expect(packages.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))).to.deep.equal([])
    const elsewhere = ({ link, resolved }: Locked): boolean =>
      link === true || (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
    expect(packages.filter(([, each]) => elsewhere(each))).to.deep.equal([])
  })

  it('states for every npm package with an install script whether it may run it', () => {
    const having = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = having.map(([path]) => path.split('node_modules/').at(-1) ?? '')
    expect(names.filter((name) => !(name in manifest.allowScripts) && name !== 'fsevents')).to.deep.equal([])
  })

  for (const path of globSync('ops/python/*.in')) {
    const locked = path.replace(/\.in$/, '.txt')
    it(`has a hash of every file of every Python package of ${path}`, () => {
      expect(pinsOf(path).filter((pin) => !/^[a-z0-9.-]+==[\w.]+$/.test(pin))).to.deep.equal([])
      expect(pinsOf(locked).sort(), 'ops/python/lock brings it up to date').to.deep.equal(pinsOf(path).sort())
      const entries = read(locked).split(/\n(?=[A-Za-z])/)
      expect(
        entries.filter((entry) => /^[A-Za-z]/.test(entry) && !/--hash=sha256:[0-9a-f]{64}/.test(entry)),
      ).to.deep.equal([])
    })
  }

  it('is installed by pip with its hashes, and by npm from its lockfile, wherever it is installed', () => {
    const lines = ['ops/setup', 'ops/Dockerfile'].flatMap((path) => read(path).split('\n'))
    const ofPip = lines.filter((line) => /\bpip (install|download)\b.* (-r|--requirement) /.test(line))
    expect(ofPip).to.have.length(6)
    expect(ofPip.filter((line) => !line.includes('--require-hashes'))).to.deep.equal([])
    expect(lines.filter((line) => /\bnpm (i|install|add)\b/.test(line))).to.deep.equal([])
  })
})
