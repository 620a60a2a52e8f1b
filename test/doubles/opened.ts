/**
 * Opens a resource before each test of the suite that calls this, and closes it afterwards; or one for all of them.
 * Several are closed in the reverse order.
 */
export const openedForEach = <T extends AsyncDisposable | Disposable>(make: () => T | Promise<T>): T =>
  openedFrom(make, beforeEach, afterEach)
export const openedForAll = <T extends AsyncDisposable | Disposable>(make: () => T | Promise<T>): T =>
  openedFrom(make, before, after)

/** As above, for objects that nothing has to close. */
export const madeForEach = <T extends object>(make: () => T | Promise<T>): T => madeFrom(make, beforeEach)
export const madeForAll = <T extends object>(make: () => T | Promise<T>): T => madeFrom(make, before)

/** In the order of their opening. */
const open: AsyncDisposableStack[] = []

function openedFrom<T extends AsyncDisposable | Disposable>(
  make: () => T | Promise<T>,
  begin: Mocha.HookFunction,
  end: Mocha.HookFunction,
): T {
  let isOpen = false
  const opened = madeFrom(async () => {
    const made = await make()
    const closing = new AsyncDisposableStack()
    closing.use(made)
    open.push(closing)
    isOpen = true
    return made
  }, begin)
  // Mocha calls every `end` of a suite, in the order of their declaration, also if a `begin` failed.
  end(async () => {
    if (isOpen) await open.pop()?.disposeAsync()
    isOpen = false
  })
  return opened
}

function madeFrom<T extends object>(make: () => T | Promise<T>, begin: Mocha.HookFunction): T {
  let made: T | undefined
  begin(async () => {
    made = await make()
  })
  return current(() => made as T)
}

/** Stands for the object of the current test, which a hook makes. */
export const current = <T extends object>(made: () => T): T =>
  new Proxy({} as T, {
    get(_, name) {
      const value = Reflect.get(made(), name)
      // A method may read private fields, which a proxy does not have.
      return typeof value === 'function' ? value.bind(made()) : value
    },
    set: (_, name, value) => Reflect.set(made(), name, value),
    ownKeys: () => Reflect.ownKeys(made()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(made(), name),
  })
