package coopsim

import "fmt"

// Module is one module of a simulation; those of each kind know its commands by name.
type Module struct {
	Client *Client
	Target string
}

// NewModule returns the module of a name, with the commands that all modules have.
func NewModule(client *Client, target string) Module { return Module{client, target} }

// Reader takes values out of a reply, and keeps the first thing that is wrong.
type Reader struct {
	Reply Message
	Err   error
}

// span returns where some of so many values stand: from start (below 0 = counted from the end) count of them, or all but
// end values if count is 0; of these it is one of some equal parts.
func (r *Reader) span(length, start, count, end, part, parts int) (int, int) {
	first, all := start, count
	if first < 0 {
		first += length
	}
	if all == 0 {
		all = length - end - first
	}
	if first < 0 || all < 0 || first+all > length || all%parts != 0 {
		r.fail(&Malformed{fmt.Sprintf("a reply of %d values", length)})
		return 0, 0
	}
	share := all / parts
	return first + part*share, first + (part+1)*share
}

func (r *Reader) fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// Numbers returns a run of data.
func (r *Reader) Numbers(start, count, end, part, parts int) []float64 {
	first, last := r.span(len(r.Reply.Data), start, count, end, part, parts)
	return r.Reply.Data[first:last:last]
}

// Values returns a run of params.
func (r *Reader) Values(start, count, end, part, parts int) []any {
	first, last := r.span(len(r.Reply.Params), start, count, end, part, parts)
	return r.Reply.Params[first:last:last]
}

// Texts returns a run of params that are texts.
func (r *Reader) Texts(start, count, end, part, parts int) []string {
	var texts []string
	for _, value := range r.Values(start, count, end, part, parts) {
		text, ok := value.(string)
		if !ok {
			r.fail(&Malformed{fmt.Sprintf("%v where a text is meant", value)})
		}
		texts = append(texts, text)
	}
	return texts
}

// Number returns one of the data.
func (r *Reader) Number(place int) float64 {
	if some := r.Numbers(place, 1, 0, 0, 1); len(some) == 1 {
		return some[0]
	}
	return 0
}

// Value returns a param.
func (r *Reader) Value(place int) any {
	if some := r.Values(place, 1, 0, 0, 1); len(some) == 1 {
		return some[0]
	}
	return nil
}

// Float returns a param that is a number.
func (r *Reader) Float(place int) float64 {
	switch value := r.Value(place).(type) {
	case float64:
		return value
	case int64:
		return float64(value)
	default:
		r.fail(&Malformed{fmt.Sprintf("%v where a number is meant", value)})
		return 0
	}
}

// Whole returns a param that is an integer.
func (r *Reader) Whole(place int) int64 {
	value, ok := r.Value(place).(int64)
	if !ok {
		r.fail(&Malformed{fmt.Sprintf("%v where an integer is meant", r.Value(place))})
	}
	return value
}

// Text returns a param that is a text.
func (r *Reader) Text(place int) string {
	value, ok := r.Value(place).(string)
	if !ok {
		r.fail(&Malformed{fmt.Sprintf("%v where a text is meant", r.Value(place))})
	}
	return value
}

// Flat returns params, runs of them one by one.
func Flat(values ...any) []any {
	params := make([]any, 0, len(values))
	for _, value := range values {
		switch some := value.(type) {
		case []string:
			for _, text := range some {
				params = append(params, text)
			}
		case []any:
			params = append(params, some...)
		default:
			params = append(params, value)
		}
	}
	return params
}

// Joined returns runs as one.
func Joined(runs ...[]float64) []float64 {
	var all []float64
	for _, some := range runs {
		all = append(all, some...)
	}
	return all
}
