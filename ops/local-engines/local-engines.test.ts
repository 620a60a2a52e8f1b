import { expect } from 'chai'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { LocalEngines } from './local-engines.ts'

const root = process.cwd()

/** The double, with the name and the options of the real server. */
const EVENTSTORED = `${root}/test/doubles/eventstoredb/eventstored`

describe('the local engines', function () {
  this.timeout(120_000)
  afterEach(() => engines({}).down({ wipe: true }))
  const folder = directoryForEach()

  const engines = (variables: NodeJS.ProcessEnv): LocalEngines =>
    new LocalEngines({ root, folder: folder.path, detached: false, env: { PATH: '/nowhere', ...variables } })

  it('use a real event store if there is one, and wait until it leads', async () => {
    const local = engines({ EVENTSTORED })
    const [engine] = await local.up('eventstoredb')
    expect(local.labelOf('eventstoredb')).to.equal(`event store: eventstored 23.10.5 at ${EVENTSTORED}`)
    const url = local.urlOf('eventstoredb')
    const countOf = async (): Promise<number> => {
      await using backDoor = new BackDoor(openEventStoreDb(url))
      return (await backDoor.events()).length
    }
    {
      await using backDoor = new BackDoor(openEventStoreDb(url))
      await backDoor.organization()
    }
    const before = await countOf()
    expect(before).to.be.above(0)
    await engine?.kill()
    await engine?.start()
    expect(await countOf(), 'after it was killed').to.equal(before)
  })

  it('keep their choice until its data is wiped, and use the stand-in otherwise', async () => {
    await engines({ EVENTSTORED }).up('eventstoredb')
    const later = engines({})
    await later.up('eventstoredb')
    expect(later.labelOf('eventstoredb')).to.contain(EVENTSTORED)
    await later.down({ wipe: true })
    const [engine] = await later.up('eventstoredb')
    expect(later.labelOf('eventstoredb')).to.equal("event store: the tests' double of EventStoreDB")
    expect(engine?.kind.ports).to.have.length(1)
  })
})
