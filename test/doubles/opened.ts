/** Opens a resource before each test of the suite that calls this, and closes it afterwards; or one for all of them. */
export const openedForEach = <T extends AsyncDisposable>(open: () => Promise<T>): T =>
  openedFrom(open, beforeEach, afterEach)
export const openedForAll = <T extends AsyncDisposable>(open: () => Promise<T>): T => openedFrom(open, before, after)

function openedFrom<T extends AsyncDisposable>(
  open: () => Promise<T>,
  begin: Mocha.HookFunction,
  end: Mocha.HookFunction,
): T {
  let opened: T | undefined
  begin(async () => {
    opened = await open()
  })
  end(() => opened?.[Symbol.asyncDispose]())
  return current(() => opened as T)
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
