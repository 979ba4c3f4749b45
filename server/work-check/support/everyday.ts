// Longer than 300 lines: one list of everyday words, a group a line.
import { stem } from '../reading/tokens.ts';

/**
 * Everyday words that say the same in reports and letters, though a dictionary of synonyms keeps them apart; one group a
 * line. They are used to find a statement's words in the evidence, never to contradict it.
 */
const GROUPS = `
inform tell notify advise write let-know announce
handle own responsible charge lead manage look-after yours
begin start commence open launch kick-off onset
end finish expire close conclude run-out over stop cease
buy purchase order acquire
get receive obtain collect
give provide supply offer grant hand
show display indicate state give read list say
need require must necessary have-to compulsory mandatory
use apply employ
use take
people persons patients customers users inhabitants residents residents everyone everybody anyone guests passengers households tenants members
staff employees personnel team workers crew
cost price fee charge amount rate
miss forget overlook skip omit
contact call write reach
fix repair mend resolve solve
fall drop decrease decline lower down reduce less fewer shrink
rise increase grow up more higher climb gain
allowed permitted may can entitled
forbidden prohibited banned
delay late behind overdue postponed
cancel terminate withdraw revoke
answer reply respond response
big large great major
small minor little
car vehicle automobile
doctor physician
child kid minor
house home housing accommodation lodging
money sum amount funds
wish want request ask
choose pick select decide chosen
keep retain store hold
send deliver ship dispatch post
come arrive reach
leave depart go
check verify inspect review examine test
buyer customer client
seller supplier vendor provider
firm company business
company firm maker manufacturer
job post position role
pay settle
pay wage salary
fast quick rapid
enough sufficient
whole entire full all complete total
half 50
double twice
start beginning
change amend modify move shift switch
remove delete drop take-out
add include contain comprise
about approximately around roughly nearly
yearly annual year
monthly month
daily day
weekly week
morning am
afternoon pm
refund reimburse repay back
fault defect error mistake bug
help assist support aid
hurt injure harm injured injury
ill sick unwell
dangerous hazardous unsafe risky
meeting session appointment
paper document
letter notice mail message e-mail
plan schedule scheme timetable
result outcome finding
study trial survey research
take-part participate join attend
tablet pill dose
adult grown-up
older over above
younger under below
over above more longer exceed exceeding beyond greater higher older than
under below less fewer shorter lower younger
maximum most limit up-to
minimum least
immediately once directly straight-away
before prior ahead earlier until by
after following later since subsequent
build make construct produce
hire recruit employ take-on
recruit hire newcomer rider
vanish disappear go
clash conflict overlap busy
agree accept approve consent adopt
reject decline refuse turn-down
say report state explain mention note write
drive operate
eat meal food
permit licence license authorisation authorization
permit allow
renew extend prolong
address residence
proof evidence confirmation
fine penalty
resident inhabitant household holder
route line connection
visible shown public
free available vacant
damage broken damaged dented
left remaining unspent still
part share portion
copy duplicate
sell sold sale
visit see walk inspect
donate give gift
raise increase lift
level degree
expect estimate forecast estimated
load loaded aboard
fully complete
complete finished done full
way transit road
cause reason because due
closing deadline
return check checkup
appointment visit check meeting
include part
task action
venue hall room site
booking reservation
laptop notebook computer
winner elected won first
cap limit ceiling capped limited maximum
temperature temp
admission admitted
discharge discharged
medication medicine drug
resume restart restarted continue
hold pause suspend interrupt
unanimous unanimously agreed favour objections
abstain abstention
surplus profit excess plus
deficit loss shortfall minus
income revenue earnings receipts takings turnover
expenditure spending spend outlay expense costs
defer postpone adjourn
borrow lend loan
move propose motion
oppose against object
spectators audience crowd attendance
equalise level draw tie
goalkeeper keeper
walk foot
drawback disadvantage against
ban prohibit forbid
deduct subtract minus withhold
advance prepayment prepaid
transfer wire remit payment pay
leaver left leave departure
collect fetch pick
lobby reception
paid prepaid payment pay
dear expensive costly
cheap inexpensive
remaining rest balance
average mean
sum total
occur happen
person people individual
apply valid effective force
examine inspect look check
gratis complimentary free
electronic online digital web electronically
photo photographic picture image
draw drawn select selected pick
roll register list
exempt excuse release
pay wage earnings
compulsory duty obligatory
resign quit leave
alarm alert warning
author wrote written
begin start enter
born birth
breach violation infringement
building house premises
buy bought purchase
carry transport convey
chairperson chair chairman chairwoman
claim demand
clear obvious evident
client customer
close shut
compensate compensation reimburse refund
complain complaint
confirm verify acknowledge
consent approval permission agreement
continue remain stay unchanged
convert switch change
count number tally
country nation state
damage harm
deadline due until latest
defective faulty broken
demand request require
deny refuse reject
depart departure leave
determine establish find
die death deceased dead
difference gap margin
discount reduction rebate
double twice
earn make receive
enlarge expand extend
error mistake slip
estimate estimated about
event incident occurrence
excuse apology
expel exclude
export send
fail failure
fasten fix attach
fill complete
forecast predict expect
found establish set
goal target aim objective
goods items articles products
grow growth rise
guide manual handbook instructions
handle treat process
highest top most largest maximum
hospital clinic ward
huge large big
inform tell
injury wound hurt
install fit mount
invoice bill
keep stay remain
landlord owner lessor
tenant lessee renter
launch release publish
law act statute
lease rental tenancy
length long
lift elevator
lowest least smallest minimum
main principal chief
maker manufacturer producer
mandatory compulsory required must
map plan
measure reading
mention name
minutes record
missing absent lacking
month monthly
note remark comment
obtain get
occupied taken
offer quote quotation tender bid
office bureau
opening open
origin source
outside external
outstanding open unpaid
overtime extra
owe due
owner holder
park parking
patient person
period term
phone telephone call
place site location venue
pollution contamination
post position job
power electricity current
precise exact
premium surcharge supplement
price rate
prior previous before
problem issue trouble
programme schedule agenda
promise pledge undertake
property estate
protect guard
prove show demonstrate
publish issue release
pupil student
quarter three-months
question enquiry query
rain rainfall precipitation
read reading
reason ground
receipt proof
reception desk
recommend advise suggest
record log register
regular usual normal
relocate move
reopen open
repeat retry again
replace exchange swap substitute
replacement exchange substitute
report account
rescue save
reserve book booking
respond reply answer
restrict limit
return back
revenue turnover sales
risk danger
road street
room hall
rule regulation
safe secure
sale sell
same identical
scheduled planned due
seat place
section part
separate apart
serious severe
share part portion
shelter protect
ship vessel boat
shop store
short brief
sign signature signed
site location
speak say talk
split divide
spouse husband wife
stage phase
station stop
stock supply
storm gale
strong heavy
subject topic
submit send file hand upload lodge
success succeed
suffer have
suit fit
supplier vendor
supply provide
support back
surface area
survey poll
tax duty levy
teach instruct
tell say
ticket pass
tool device appliance
trade business
train railway rail
treat treatment
trip journey travel
turnout participation
type kind
unable cannot
unchanged same still remains
understand know
union association
unpaid owing outstanding
urgent immediate
vacation holiday leave
vacate leave
vehicle car van truck
view opinion
voluntary optional
vote ballot
wait delay
wound injury
writing written
`;

/** Words that say little by themselves: a statement is not open because one of them stands nowhere. */
const LIGHT = new Set(
  (
    'team we cover covers concern concerns regard now still also another other others instead well like itself themselves himself herself however whereas among while both even just ' +
    'already yet rather quite altogether overall namely respectively together currently presently meanwhile please thank thanks ' +
    'way thing things case cases kind number overall total short brief effect note say says said according ' +
    'come comes mean means make makes take takes get gets go goes become accordingly therefore hence thus finally first ' +
    'second next last additionally further furthermore moreover fact indeed actually simply mainly mostly usually generally'
  )
    .split(' ')
    .map(stem),
);

const groupsByStem = readGroups();

function readGroups(): Map<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const line of GROUPS.trim().split('\n')) {
    const stems = line
      .split(' ')
      .filter((word) => !word.includes('-'))
      .map(stem);
    for (const one of stems) groups.set(one, [...(groups.get(one) ?? []), ...stems.filter((other) => other !== one)]);
  }
  return groups;
}

const NONE: readonly string[] = [];

/** Stems that everyday language uses for this one. */
export function everydayFor(one: string): readonly string[] {
  return groupsByStem.get(one) ?? NONE;
}

/** Whether a stem says little by itself. */
export function isLight(one: string): boolean {
  return LIGHT.has(one);
}
