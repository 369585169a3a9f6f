import type { ResourceSpec } from '../panel/frame/command-types.ts'
import { exportPanel, recoveryKit } from './export-commands.ts'
import { confirm, importPanel, live } from './import-commands.ts'
import { invitePanel, joinPanel, listPanels } from './share-panel.ts'
import { moveStore } from './move-store.ts'

/** `berth panel …`: what is lost can be brought back. For root on the machine itself. */
export const recovery: ResourceSpec = {
  name: 'panel',
  summary: 'take the whole panel along, bring it back, or share it with another machine',
  commands: {
    export: exportPanel,
    import: importPanel,
    confirm,
    live,
    'recovery-kit': recoveryKit,
    'move-store': moveStore,
    list: listPanels,
    invite: invitePanel,
    join: joinPanel,
  },
}
