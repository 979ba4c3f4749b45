import { NothingHere } from '@/components/ui/NothingHere.tsx';

/** In the section's frame. */
export default function NotFound() {
  return <NothingHere />;
}
