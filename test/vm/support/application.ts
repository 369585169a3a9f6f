/** A small server in Perl, of which every Debian has the base: `PORT` is the path of its socket. It answers when it began. */
export const APPLICATION = `use strict;
use warnings;
use IO::Socket::UNIX;
my $began = time;
my $server = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $ENV{PORT}, Listen => 20)
  or die "listen at $ENV{PORT}: $!";
$SIG{PIPE} = 'IGNORE';
$SIG{TERM} = sub { exit 0 };
while (1) {
  my $visitor = $server->accept or next;
  while (my $line = <$visitor>) { last if $line =~ /^\\r?\\n$/ }
  my $text = "began $began";
  print $visitor "HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nCache-Control: no-store\\r\\n",
    'Content-Length: ', length($text), "\\r\\nConnection: close\\r\\n\\r\\n$text";
  close $visitor;
}
`
