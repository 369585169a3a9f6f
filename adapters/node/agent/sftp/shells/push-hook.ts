/** Name of the variable by which git's hook knows whose repository it is. */
export const REPOSITORY_VARIABLE = 'BERTH_REPOSITORY'

/**
 * What git runs after each push to the repository of an application: it tells the agent what was
 * pushed, and who pushes what becomes of it: it passes on what the agent says of the deployment until that
 * ends, or nobody listens any more. The deployment does not depend on it, nor the push. It is root's, and git is told to look for hooks
 * nowhere else. It runs as the account, which could say the same at the same place.
 */
export const pushHook = (): string => `#!/usr/bin/perl -T
# Written by Berth. Tells that something was pushed.
use strict;
use Socket;
my ($name) = (defined $ENV{${REPOSITORY_VARIABLE}} ? $ENV{${REPOSITORY_VARIABLE}} : '') =~ /\\A([a-z][a-z0-9-]{0,31})\\z/;
exit 0 unless defined $name;
my $built = '';
if (open my $head, '<', 'HEAD') { ($built) = <$head> =~ m{\\Aref: refs/heads/(\\S{1,200})\\n\\z}; close $head; }
$| = 1;
while (my $line = <STDIN>) {
  my ($new, $branch) = $line =~ m{\\A[0-9a-f]+ ([0-9a-f]+) refs/heads/([A-Za-z0-9_][\\w./+-]{0,199})\\n\\z} or next;
  next if $new =~ /\\A0+\\z/;
  if ($branch ne $built) { print "$name is built from $built: nothing is deployed.\\n"; next; }
  my $agent;
  if (socket($agent, AF_UNIX, SOCK_STREAM, 0) && connect($agent, pack_sockaddr_un('/dev/log'))) {
    syswrite $agent, '<38>' . substr(scalar(localtime), 4, 15) . " berth-push[$$]: $name $branch\\0";
    print "$name is deployed from $branch. The panel shows how it goes, too.\\n";
    while (sysread $agent, my $said, 8192) { print $said; }
    close $agent;
  }
  else { print "Berth does not answer. Deploy $name in the panel.\\n"; }
}
`
