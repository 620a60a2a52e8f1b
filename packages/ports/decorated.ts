/** A port with some of its members replaced. Everything else passes through. */
export function decorated<Port extends object>(port: Port, members: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      const own: unknown = Reflect.get(target, name)
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}
