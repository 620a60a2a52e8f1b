// Stryker's mocha runner (10.0.0) asks for three modules of mocha by the names they had before mocha 12 renamed them to
// `.cjs`. To be deleted with the release that has github.com/stryker-mutator/stryker-js/pull/6205.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(/\/mocha\/lib\/cli\/(run-helpers|options|collect-files)$/.test(specifier) ? `${specifier}.cjs` : specifier, context),
})
