package coopsim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Version of the protocol.
const Version = 1

const fieldCount = 9

// Message is a request or a reply, its fields in the order of the protocol.
type Message struct {
	ID      uint64
	Target  string
	Tick    uint64
	Error   uint64
	Text    string
	Command uint64
	Params  []any // int64, uint64 (beyond the largest int64), float64 or string
	Data    []float64
	Run     uint64 // of requests, 0 = whichever is there
}

// Encode returns the bytes of a message.
func Encode(m Message) ([]byte, error) {
	var raw bytes.Buffer
	encoder := msgpack.NewEncoder(&raw)
	encoder.UseCompactInts(true)
	count := fieldCount
	if m.Run > 0 {
		count++
	}
	_ = encoder.EncodeArrayLen(count) // a bytes.Buffer takes whatever comes
	_ = encoder.EncodeMulti(uint64(Version), m.ID, m.Target, m.Tick, m.Error, m.Text, m.Command)
	_ = encoder.EncodeArrayLen(len(m.Params))
	for _, param := range m.Params {
		switch param.(type) {
		case int, int64, uint64, float64, string:
			_ = encoder.Encode(param)
		default:
			return nil, fmt.Errorf("a param is an integer, a float64 or a string, not a %T", param)
		}
	}
	values := make([]byte, 0, 8*len(m.Data))
	for _, value := range m.Data {
		values = binary.LittleEndian.AppendUint64(values, math.Float64bits(value))
	}
	_ = encoder.EncodeBytes(values)
	if m.Run > 0 {
		_ = encoder.EncodeUint(m.Run)
	}
	return raw.Bytes(), nil
}

// Decode returns the message of some bytes; later fields are passed over.
func Decode(raw []byte) (Message, error) {
	decoder := msgpack.NewDecoder(bytes.NewReader(raw))
	m, err := decodeFields(decoder)
	if err != nil {
		return Message{}, &Malformed{err.Error()}
	}
	return m, nil
}

func decodeFields(decoder *msgpack.Decoder) (m Message, err error) {
	count, err := decoder.DecodeArrayLen()
	if err != nil {
		return m, err
	}
	if count < fieldCount {
		return m, fmt.Errorf("%d fields are no message", count)
	}
	version, err := decodeUint(decoder)
	if err != nil {
		return m, err
	}
	if version != Version {
		return m, fmt.Errorf("version %d is not %d", version, Version)
	}
	for _, field := range []any{&m.ID, &m.Target, &m.Tick, &m.Error, &m.Text, &m.Command} {
		switch place := field.(type) {
		case *uint64:
			*place, err = decodeUint(decoder)
		case *string:
			*place, err = decodeText(decoder)
		}
		if err != nil {
			return m, err
		}
	}
	if m.Params, err = decodeParams(decoder); err != nil {
		return m, err
	}
	m.Data, err = decodeData(decoder)
	return m, err
}

func decodeUint(decoder *msgpack.Decoder) (uint64, error) {
	code, err := decoder.PeekCode()
	if err != nil {
		return 0, err
	}
	if code == msgpcode.Uint64 {
		return decoder.DecodeUint64()
	}
	if code == msgpcode.Nil { // the library reads it as 0
		return 0, errors.New("nil where a uint is meant")
	}
	value, err := decoder.DecodeInt64()
	if err == nil && value < 0 {
		err = fmt.Errorf("%d where a uint is meant", value)
	}
	return uint64(value), err
}

func decodeText(decoder *msgpack.Decoder) (string, error) {
	code, err := decoder.PeekCode()
	if err == nil && !msgpcode.IsString(code) {
		err = fmt.Errorf("code %d where a text is meant", code)
	}
	if err != nil {
		return "", err
	}
	return decoder.DecodeString()
}

func decodeParams(decoder *msgpack.Decoder) ([]any, error) {
	count, err := decoder.DecodeArrayLen()
	if err != nil || count < 0 {
		return nil, fmt.Errorf("params are no array: %v", err)
	}
	var params []any
	for ; count > 0; count-- {
		value, err := decoder.DecodeInterface()
		if err != nil {
			return nil, err
		}
		if value, err = param(value); err != nil {
			return nil, err
		}
		params = append(params, value)
	}
	return params, nil
}

func param(value any) (any, error) {
	switch number := value.(type) {
	case string, float64, int64:
		return value, nil
	case uint64:
		if number <= math.MaxInt64 {
			return int64(number), nil
		}
		return value, nil
	case float32:
		return float64(number), nil
	case int8, int16, int32, uint8, uint16, uint32:
		var wide int64
		_, err := fmt.Sscan(fmt.Sprint(number), &wide)
		return wide, err
	}
	return nil, fmt.Errorf("a %T is no param", value)
}

func decodeData(decoder *msgpack.Decoder) ([]float64, error) {
	code, err := decoder.PeekCode()
	if err != nil {
		return nil, err
	}
	if code == msgpcode.Bin8 || code == msgpcode.Bin16 || code == msgpcode.Bin32 {
		return decodeBinary(decoder)
	}
	count, err := decoder.DecodeArrayLen()
	if err != nil || count < 0 {
		return nil, fmt.Errorf("data are no array: %v", err)
	}
	var data []float64
	for ; count > 0; count-- {
		value, err := decodeNumber(decoder)
		if err != nil {
			return nil, err
		}
		data = append(data, value)
	}
	return data, nil
}

func decodeNumber(decoder *msgpack.Decoder) (float64, error) {
	code, err := decoder.PeekCode()
	if err != nil {
		return 0, err
	}
	switch code {
	case msgpcode.Nil: // the library reads it as 0
		return 0, errors.New("nil where a number is meant")
	case msgpcode.Uint64:
		value, err := decoder.DecodeUint64() // DecodeFloat64 would read it as an int64
		return float64(value), err
	}
	return decoder.DecodeFloat64()
}

func decodeBinary(decoder *msgpack.Decoder) ([]float64, error) {
	size, err := decoder.DecodeBytesLen()
	if err != nil || size%8 != 0 {
		return nil, fmt.Errorf("data of %d bytes: %v", size, err)
	}
	if size > largest { // what a length claims is not yet there
		return nil, fmt.Errorf("data of %d bytes are more than a message holds", size)
	}
	raw := make([]byte, size)
	if _, err := io.ReadFull(decoder.Buffered(), raw); err != nil {
		return nil, err
	}
	data := make([]float64, size/8)
	for place := range data {
		data[place] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*place:]))
	}
	return data, nil
}
