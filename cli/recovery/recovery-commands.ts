import type { Command } from 'commander'
import { addConfirmCommand, addImportCommand, addLiveCommand } from './import-commands.ts'
import { addExportCommand, addKitCommand } from './export-commands.ts'

/** `berth panel …`: what is lost can be brought back. For root on the machine itself. */
export const addRecoveryCommands = (program: Command): void => {
  const panel = program
    .command('panel')
    .description('take the whole panel along or bring it back, on this host, as root')
  addExportCommand(panel)
  addImportCommand(panel)
  addConfirmCommand(panel)
  addLiveCommand(panel)
  addKitCommand(panel)
}
