import type { ResourceSpec } from '../panel/frame/command-types.ts'
import { exportPanel, recoveryKit } from './export-commands.ts'
import { confirm, importPanel, live } from './import-commands.ts'
import { moveStore } from './move-store.ts'

/** `berth panel …`: what is lost can be brought back. For root on the machine itself. */
export const recovery: ResourceSpec = {
  name: 'panel',
  summary: 'take the whole panel along or bring it back, on this host, as root',
  commands: {
    export: exportPanel,
    import: importPanel,
    confirm,
    live,
    'recovery-kit': recoveryKit,
    'move-store': moveStore,
  },
}
