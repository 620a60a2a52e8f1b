import type { AppliedTo, ViewsDefinition } from './views.ts'

/** The collections that the contract suites write to. */
export const sampleViews: ViewsDefinition = {
  version: 1,
  collections: {
    jobs: {
      largeField: 'result',
      pages: [
        { where: ['orgId', 'kind', 'listedAs'], by: 'requestedAt' },
        { where: ['orgId', 'idempotencyKeyHash', 'kind', 'listedAs'], by: 'requestedAt' },
      ],
    },
    keys: { findBy: ['listedFor'] },
    balances: {},
  },
}

/** A batch that is saved with its checkpoint. */
export const to = (position: number): AppliedTo => ({ position, checkpoint: position })

/** Data for each test of a suite, with as many views as it opens: a second one stands for a restart or another process. */
export function eachTest<V extends AsyncDisposable, F extends AsyncDisposable & { open(): Promise<V> }>(
  makeFixture: () => Promise<F>,
): { readonly fixture: F; open(): Promise<V> } {
  let fixture: F
  const opened: V[] = []
  beforeEach(async () => {
    fixture = await makeFixture()
  })
  afterEach(async () => {
    for (const views of opened.splice(0)) await views[Symbol.asyncDispose]()
    await fixture[Symbol.asyncDispose]()
  })
  return {
    get fixture() {
      return fixture
    },
    async open() {
      const views = await fixture.open()
      opened.push(views)
      return views
    },
  }
}
