// Stryker's mocha runner (10.0.0) imports three modules of mocha by their names before mocha 12 renamed them to `.cjs`.
// Delete this with the release that has github.com/stryker-mutator/stryker-js/pull/6205.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(/\/mocha\/lib\/cli\/(run-helpers|options|collect-files)$/.test(specifier) ? `${specifier}.cjs` : specifier, context),
})
